import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate } from '../../core/approval/gate.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { findSymbol, renderLocatedLines } from '../../core/tools/results.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { lineNumber, splitLines } from '../../core/files/fileText.ts';
import { queryLanguageService, openTarget } from '../platform/files.ts';
import { labelFor } from '../platform/location.ts';
import { ProviderFiles } from '../platform/workspacePlaces.ts';

const schema = z.strictObject({
  path: z.string(),
  line: lineNumber(),
  symbol: z.string(),
});

const maxReferences = 200;

/** `find_references`: finds references to a symbol through its language extension. */
export function findReferencesTool(gate: ReadGate): Tool {
  return defineTool({
    name: 'find_references',
    category: 'read',
    icon: 'references',
    label: vscode.l10n.t('Find References'),
    summary: { many: vscode.l10n.t('{0} searches') },
    deadline: 30_000,
    description: 'Finds where a symbol is declared and used.',
    schema,
    title: ({ symbol }) => vscode.l10n.t('Find references to {0}', symbol),
    run: ({ path, line, symbol }, context) =>
      gate.open(path, 'document', context, async (target) => {
        const opened = await openTarget(target, gate);
        const { document } = opened;
        const match = findSymbol(splitLines(document.getText()), line, symbol);
        if (match === undefined) {
          throw new ToolError(`${target.value.label} does not contain ${JSON.stringify(symbol)}.`);
        }
        const position = new vscode.Position(match.line, match.character);
        const references = await queryLanguageService(opened, context.signal, () =>
          vscode.commands.executeCommand<vscode.Location[] | undefined>(
            'vscode.executeReferenceProvider',
            document.uri,
            position,
          ),
        );
        return describe(references, symbol, new ProviderFiles(gate));
      }),
  });
}

/** References in files with secrets are neither listed nor counted. */
async function describe(
  references: readonly vscode.Location[],
  symbol: string,
  files: ProviderFiles,
): Promise<string> {
  const isVisible = await Promise.all(references.map(({ uri }) => files.mayName(uri)));
  const visible = references.filter((_, index) => isVisible[index]);
  if (visible.length === 0) {
    return `No references to ${symbol} found. Not every language supports this: search_text finds text.`;
  }
  const lines = await Promise.all(
    visible.slice(0, maxReferences).map(async ({ uri, range }) => ({
      label: labelFor(uri),
      line: range.start.line + 1,
      text: await files.line(uri, range.start.line),
    })),
  );
  const more = visible.length - lines.length;
  const head = `References, including the declaration: ${visible.length}`;
  const note = more > 0 ? [`(${more} more are not shown.)`] : [];
  return [head, renderLocatedLines(lines), ...note].join('\n\n');
}
