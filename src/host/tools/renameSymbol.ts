import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { PlannedChange } from '../../core/approval/gate.ts';
import { applySplices, type Splice } from '../../core/edits/splices.ts';
import type { Gate } from '../../core/approval/gate.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { findSymbol } from '../../core/tools/results.ts';
import { defineTool, type Tool, type ToolContext } from '../../core/tools/tool.ts';
import { lineNumber, splitLines } from '../../core/workspace/fileText.ts';
import { applyAllowed, type EditingOptions } from '../changes/editing.ts';
import { queryLanguageService, openTarget, type OpenTarget } from '../workspace/files.ts';
import { labelFor } from '../workspace/location.ts';

/** Milliseconds; a language server may have to load the whole project first. */
const deadline = 60_000;

/** Maximum number of changed files that are named. */
const maxNamed = 20;

interface RenameOptions extends Pick<EditingOptions, 'changes'> {
  readonly gate: Pick<Gate, 'read' | 'open' | 'bytes' | 'edit'>;
}

interface Rename {
  readonly path: string;
  readonly line: number;
  readonly symbol: string;
  readonly new_name: string;
}

/** `rename_symbol`: renames a symbol through its language extension. Renames no file. */
export function renameSymbolTool(options: RenameOptions): Tool {
  return defineTool({
    name: 'rename_symbol',
    category: 'edit',
    icon: 'replace-all',
    label: vscode.l10n.t('Rename Symbol'),
    summary: { many: vscode.l10n.t('Rename {0} symbols') },
    deadline,
    description: 'Renames a symbol and its uses in all files.',
    schema: z.strictObject({
      path: z.string(),
      line: lineNumber().check(z.describe('Where it is')),
      symbol: z.string(),
      new_name: z.string(),
    }),
    title: ({ symbol, new_name: name }) => vscode.l10n.t('Rename {0} to {1}', symbol, name),
    run: (args, context) => rename(args, options, context),
  });
}

async function rename(args: Rename, options: RenameOptions, context: ToolContext): Promise<string> {
  const { gate } = options;
  const { path, symbol, new_name: name } = args;
  const opened = await gate.open(path, 'document', context, (target) => openTarget(target, gate));
  const position = positionOf(opened.document, args);
  const entries = await askProvider(opened, position, name, context.signal);
  const planned = await Promise.all(entries.map(([uri, edits]) => plan(uri, edits, gate, context)));
  const all = planned.filter(({ before, after }) => before !== after);
  if (all.length === 0) throw new ToolError(`There is nothing to rename at ${symbol} in ${path}.`);
  const { applied, rejected } = await applyAllowed(all, options, context);
  const paths = applied.slice(0, maxNamed).map((change) => change.path);
  const more = applied.length > maxNamed ? ` and ${applied.length - maxNamed} more` : '';
  const unsaved = applied.some(({ isSaved }) => !isSaved)
    ? ' Files with earlier unsaved changes were not saved.'
    : '';
  return `Renamed ${symbol} to ${name} in ${paths.join(', ')}${more}. Files keep their names and places.${unsaved}${rejected}`;
}

/** Accepts only the requested line, as the same name elsewhere may be another symbol. */
function positionOf(
  document: vscode.TextDocument,
  { path, line, symbol }: Rename,
): vscode.Position {
  const lines = splitLines(document.getText());
  const match = findSymbol(lines, line, symbol);
  if (match === undefined) throw new ToolError(`${path} does not contain ${symbol}.`);
  if (match.line + 1 === line) return new vscode.Position(match.line, match.character);
  const nearest = `${match.line + 1}\t${lines[match.line] ?? ''}`;
  throw new ToolError(`${symbol} is not on line ${line}. It is here:\n${nearest}`);
}

type FileEdits = readonly [vscode.Uri, readonly vscode.TextEdit[]];

/** The text edits of the language extension; file operations are left out. */
async function askProvider(
  opened: OpenTarget,
  position: vscode.Position,
  name: string,
  signal: AbortSignal,
): Promise<readonly FileEdits[]> {
  let reason = 'there is nothing here that its language can rename.';
  const entries = await queryLanguageService<FileEdits>(opened, signal, async () => {
    try {
      const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
        'vscode.executeDocumentRenameProvider',
        ...[opened.document.uri, position, name],
      );
      return edit?.entries();
    } catch (error) {
      if (error instanceof Error) reason = error.message;
      return [];
    }
  });
  if (entries.length === 0) throw new ToolError(`It cannot be renamed: ${reason}`);
  return entries;
}

/** The text edits of one file as a change for the gate; all other proposed edits are left out. */
async function plan(
  uri: vscode.Uri,
  edits: readonly vscode.TextEdit[],
  gate: RenameOptions['gate'],
  context: ToolContext,
): Promise<PlannedChange> {
  const address = uri.toString();
  const document =
    vscode.workspace.textDocuments.find((open) => open.uri.toString() === address) ??
    (await gate.open(labelFor(uri), 'document', context, async (target) => {
      const opened = await openTarget(target, gate);
      return opened.document;
    }));
  const { version } = document;
  const before = document.getText();
  const splices = edits.map(({ range, newText }): Splice => ({
    start: document.offsetAt(range.start),
    end: document.offsetAt(range.end),
    text: newText,
  }));
  return {
    kind: 'edit',
    path: labelFor(uri),
    before,
    after: spliced(before, splices),
    isCurrent: () => Promise.resolve(document.version === version),
  };
}

function spliced(text: string, splices: readonly Splice[]): string {
  try {
    return applySplices(text, splices);
  } catch {
    throw new ToolError('It cannot be renamed: the edits from its language overlap.');
  }
}
