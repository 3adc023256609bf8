import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { PlannedChange } from '../../core/approval/gate.ts';
import { applySplices, type Splice } from '../../core/edits/lineDiff.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { findSymbol } from '../../core/tools/results.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import { lineNumber, splitLines } from '../../core/files/fileText.ts';
import type { Editing } from './editing.ts';
import { queryLanguageService, openTarget, type OpenTarget } from '../platform/files.ts';
import { labelFor } from '../platform/location.ts';

/** Milliseconds. A language server may have to load the whole project first. */
const deadline = 60_000;

const maxNamed = 20;

/** Maximum number of files that are read for one rename. */
const maxFiles = 500;

type FileEdits = readonly [vscode.Uri, readonly vscode.TextEdit[]];

/** `rename_symbol`: renames a symbol through its language extension. Doesn't rename files. */
export function renameSymbolTool(editing: Editing): Tool {
  const { gate } = editing;
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
    async run({ path, line, symbol, new_name: name }, context) {
      const opened = await gate.open(path, 'document', context, (target) =>
        openTarget(target, gate),
      );
      const lines = splitLines(opened.document.getText());
      const match = findSymbol(lines, line, symbol);
      if (match === undefined) throw new ToolError(`${path} does not contain ${symbol}.`);
      // Only the requested line, since the same name elsewhere may be another symbol.
      if (match.line + 1 !== line) {
        const nearest = `${match.line + 1}\t${lines[match.line] ?? ''}`;
        throw new ToolError(`${symbol} is not on line ${line}. It is here:\n${nearest}`);
      }
      const position = new vscode.Position(match.line, match.character);
      const entries = await editsOf(opened, position, name, context.signal);
      const all: PlannedChange[] = [];
      // Sequential: after a denial, further approvals aren't requested.
      for (const [uri, edits] of entries) {
        const label = labelFor(uri);
        const { text: before, cells, isCurrent } = await editing.read(label, context);
        if (cells !== undefined)
          throw new ToolError(`It cannot be renamed: it is also in the notebook ${label}.`);
        const after = applyTextEdits(before, edits);
        if (before !== after) all.push({ kind: 'edit', path: label, before, after, isCurrent });
      }
      if (all.length === 0)
        throw new ToolError(`There is nothing to rename at ${symbol} in ${path}.`);
      const { applied, difference } = await editing.apply(all, context);
      const paths = applied.slice(0, maxNamed).map((change) => change.path);
      const more = applied.length > maxNamed ? ` and ${applied.length - maxNamed} more` : '';
      const unsaved = applied.some(({ isSaved }) => !isSaved)
        ? ' Files with earlier unsaved changes were not saved.'
        : '';
      return `Renamed ${symbol} to ${name} in ${paths.join(', ')}${more}. Files keep their names and places.${unsaved}${difference}`;
    },
  });
}

/**
 * Gets text edits from the language extension; file operations are ignored.
 *
 * @throws {ToolError} for documents that aren't files, such as cells or earlier versions, and for
 *   too many files
 */
async function editsOf(
  opened: OpenTarget,
  position: vscode.Position,
  name: string,
  signal: AbortSignal,
): Promise<readonly FileEdits[]> {
  const { uri: asked } = opened.document;
  let reason = 'there is nothing here that its language can rename.';
  const entries = await queryLanguageService<FileEdits>(opened, signal, async () => {
    try {
      const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
        'vscode.executeDocumentRenameProvider',
        ...[asked, position, name],
      );
      return edit?.entries();
    } catch (error) {
      if (error instanceof Error) reason = error.message;
      return [];
    }
  });
  if (entries.length === 0) throw new ToolError(`It cannot be renamed: ${reason}`);
  const [other] =
    entries.find(
      ([{ scheme, authority }]) => scheme !== asked.scheme || authority !== asked.authority,
    ) ?? [];
  if (other !== undefined)
    throw new ToolError(
      `It cannot be renamed: it is also in ${labelFor(other)}, which is no file.`,
    );
  if (entries.length > maxFiles) {
    throw new ToolError(
      `It cannot be renamed: it is in ${entries.length} files; the maximum is ${maxFiles}. The person can rename it in the editor.`,
    );
  }
  return entries;
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
