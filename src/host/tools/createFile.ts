import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { splitLinesKeepingEnds } from '../../core/edits/lineDiff.ts';
import { refuseMasks } from '../../core/edits/applyEdits.ts';
import { cellsOfNewNotebook } from '../../core/tools/newNotebook.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import type { Editing } from './editing.ts';

/** Milliseconds. */
const deadline = 30_000;

/** `create_file`: creates a file and its folders. */
export function createFileTool(editing: Editing): Tool {
  return defineTool({
    name: 'create_file',
    category: 'edit',
    icon: 'new-file',
    label: vscode.l10n.t('Create File'),
    summary: {
      many: vscode.l10n.t('Edit {0} files'),
      distinct: { argument: 'path', one: vscode.l10n.t('Edit 1 file') },
    },
    deadline,
    description: 'Creates a file and its folders. Fails if it exists.',
    schema: z.strictObject({ path: z.string(), content: z.string() }),
    title: ({ path }) => vscode.l10n.t('Create {0}', path),
    async run({ path, content }, context) {
      const after = /\.ipynb$/i.test(path) ? cellsOfNewNotebook(content) : content;
      refuseMasks(after, '');
      const isCurrent = await editing.requireMissing(path, context);
      const planned = { kind: 'create', path, before: '', after, isCurrent } as const;
      const { applied, difference } = await editing.apply([planned], context);
      const created = applied.map(({ path: label, text }) => {
        const { length } = splitLinesKeepingEnds(text);
        return `Created ${label}: ${length} ${length === 1 ? 'line' : 'lines'}.`;
      });
      return created.join('\n') + difference;
    },
  });
}
