import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Approved, ReadGate } from '../../core/approval/gate.ts';
import type { OpenableTarget } from '../../core/approval/addresses.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { renderLocatedLines, findSymbol, type LocatedLine } from '../../core/tools/results.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { lineNumber, splitLines } from '../../core/workspace/fileText.ts';
import { queryLanguageService, openTarget } from '../workspace/files.ts';
import { labelFor } from '../workspace/location.ts';
import { ProviderFiles } from '../workspace/workspacePlaces.ts';

const schema = z.strictObject({
  path: z.string(),
  line: lineNumber().check(z.describe('Where the symbol is')),
  symbol: z.string(),
});
type Args = z.infer<typeof schema>;

/** `find_references`: finds references to a symbol through its language extension. */
export function findReferencesTool({ gate }: { readonly gate: ReadGate }): Tool {
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
    run: (args, context) =>
      gate.open(args.path, 'document', context, (target) =>
        referencesOf(target, args, gate, context.signal),
      ),
  });
}

const maxReferences = 200;

async function referencesOf(
  target: Approved<OpenableTarget>,
  args: Args,
  gate: ReadGate,
  signal: AbortSignal,
): Promise<string> {
  const opened = await openTarget(target, gate);
  const position = positionOf(opened.document, args, target.value.label);
  const references = await queryLanguageService(opened, signal, () =>
    vscode.commands.executeCommand<vscode.Location[] | undefined>(
      'vscode.executeReferenceProvider',
      opened.document.uri,
      position,
    ),
  );
  // References in files with secrets are neither listed nor counted.
  const files = new ProviderFiles(gate);
  const isVisible = await Promise.all(references.map(({ uri }) => files.mayName(uri)));
  const visible = references.filter((_, index) => isVisible[index]);
  if (visible.length === 0) {
    return `No references to ${args.symbol} found. Not every language supports this: search_text finds text.`;
  }
  const placed = await placedLines(visible.slice(0, maxReferences), gate);
  const more = visible.length - placed.length;
  const list = renderLocatedLines(placed, { most: maxReferences, noteOmitted: () => '' });
  const head = `References, including the declaration: ${visible.length}`;
  return `${head}\n\n${list}${more > 0 ? `\n\n(${more} more are not shown.)` : ''}`;
}

/** @throws {ToolError} if the file does not contain the symbol. */
function positionOf(
  document: vscode.TextDocument,
  { line, symbol }: Args,
  label: string,
): vscode.Position {
  const match = findSymbol(splitLines(document.getText()), line, symbol);
  if (match === undefined) {
    throw new ToolError(`${label} does not contain ${JSON.stringify(symbol)}.`);
  }
  return new vscode.Position(match.line, match.character);
}

async function placedLines(
  references: readonly vscode.Location[],
  gate: ReadGate,
): Promise<readonly LocatedLine[]> {
  const files = new ProviderFiles(gate);
  return Promise.all(
    references.map(async ({ uri, range }) => ({
      label: labelFor(uri),
      line: range.start.line + 1,
      text: await files.line(uri, range.start.line),
    })),
  );
}
