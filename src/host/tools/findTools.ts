import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { oneLine } from '../../core/support/text.ts';
import { describeMatches, findToolsName, serversOf } from '../../core/tools/findTools.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';

/** Maximum number of characters of a query that are used. */
const maxQuery = 1000;

/**
 * `find_tools`, which shows the model some of these tools. It changes nothing, but has the category of
 * what it finds: a mode without such tools has nothing to find.
 */
export function findToolsTool(tools: readonly Tool[]): Tool {
  return defineTool({
    name: findToolsName,
    category: 'external',
    icon: 'search',
    label: vscode.l10n.t('Find Tools'),
    summary: { many: vscode.l10n.t('{0} searches') },
    deadline: 10_000,
    description: `Finds tools of MCP servers and extensions (${serversOf(tools)}), for what the other tools cannot do. Call what it finds directly.`,
    schema: z.strictObject({ query: z.string().check(z.describe('Words about the task')) }),
    title: ({ query }) => vscode.l10n.t('Find tools: {0}', oneLine(query, 100)),
    run: ({ query }) => Promise.resolve(describeMatches(query.slice(0, maxQuery), tools)),
  });
}
