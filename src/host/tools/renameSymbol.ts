import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { PlannedChange } from '../../core/approval/gate.ts';
import { applySplices, type Splice } from '../../core/edits/lineDiff.ts';
import type { Gate } from '../../core/approval/gate.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { findSymbol } from '../../core/tools/results.ts';
import { defineTool, type Tool, type ToolContext } from '../../core/tools/tool.ts';
import { lineNumber, splitLines } from '../../core/workspace/fileText.ts';
import {
  applyAllowed,
  checkLength,
  readEditable,
  type EditingOptions,
} from '../changes/editing.ts';
import { queryLanguageService, openTarget, type OpenTarget } from '../workspace/files.ts';
import { labelFor } from '../workspace/location.ts';

/** Milliseconds. A language server may have to load the whole project first. */
const deadline = 60_000;

const maxNamed = 20;

/** Maximum number of files that are read for one rename. */
const maxFiles = 500;

interface RenameOptions extends EditingOptions {
  readonly gate: Gate;
}

interface Rename {
  readonly path: string;
  readonly line: number;
  readonly symbol: string;
  readonly new_name: string;
}

/** `rename_symbol`: renames a symbol through its language extension. Doesn't rename files. */
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
  refuseFiles(entries, opened.document.uri);
  const all: PlannedChange[] = [];
  // Sequential: after a denial, further approvals aren't requested.
  for (const entry of entries) {
    const change = await plan(entry, options, context);
    if (change.before !== change.after) all.push(change);
  }
  if (all.length === 0) throw new ToolError(`There is nothing to rename at ${symbol} in ${path}.`);
  const { applied, difference } = await applyAllowed(all, options, context);
  const paths = applied.slice(0, maxNamed).map((change) => change.path);
  const more = applied.length > maxNamed ? ` and ${applied.length - maxNamed} more` : '';
  const unsaved = applied.some(({ isSaved }) => !isSaved)
    ? ' Files with earlier unsaved changes were not saved.'
    : '';
  return `Renamed ${symbol} to ${name} in ${paths.join(', ')}${more}. Files keep their names and places.${unsaved}${difference}`;
}

/** Accepts only the requested line, since the same name elsewhere may be another symbol. */
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

/** Gets text edits from the language extension; file operations are ignored. */
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

/** Refuses documents that aren't files, such as cells or earlier versions, and too many files. */
function refuseFiles(entries: readonly FileEdits[], { scheme, authority }: vscode.Uri): void {
  const [other] =
    entries.find(([uri]) => uri.scheme !== scheme || uri.authority !== authority) ?? [];
  if (other !== undefined)
    throw new ToolError(
      `It cannot be renamed: it is also in ${labelFor(other)}, which is no file.`,
    );
  if (entries.length > maxFiles) {
    throw new ToolError(
      `It cannot be renamed: it is in ${entries.length} files; the maximum is ${maxFiles}. The person can rename it in the editor.`,
    );
  }
}

/** Converts the text edits of one file to a change for the gate. */
async function plan(
  [uri, edits]: FileEdits,
  options: EditingOptions,
  context: ToolContext,
): Promise<PlannedChange> {
  const path = labelFor(uri);
  const { text: before, cells, isCurrent } = await readEditable(path, options, context);
  if (cells !== undefined)
    throw new ToolError(`It cannot be renamed: it is also in the notebook ${path}.`);
  const after = applyTextEdits(before, edits);
  checkLength(after);
  return { kind: 'edit', path, before, after, isCurrent };
}

/** Clamps positions to the end of the line or text, as VS Code does. */
function applyTextEdits(text: string, edits: readonly vscode.TextEdit[]): string {
  const ends = [...text.matchAll(/\r\n|\r|\n|$/g)];
  const offsetAt = ({ line, character }: vscode.Position): number => {
    const before = ends[line - 1];
    const start = before === undefined ? 0 : before.index + before[0].length;
    return line < ends.length ? Math.min(start + character, ends[line]?.index ?? 0) : text.length;
  };
  const splices = edits.map(({ range, newText }): Splice => ({
    start: offsetAt(range.start),
    end: offsetAt(range.end),
    text: newText,
  }));
  try {
    return applySplices(text, splices);
  } catch {
    throw new ToolError('It cannot be renamed: the edits from its language overlap.');
  }
}
