import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ReadGate } from '../../core/approval/gate.ts';
import { outgoingText } from '../../core/approval/secrets.ts';
import { pathLine } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { AllowedText, defineTool, type Tool } from '../../core/tools/tool.ts';
import { maxResultLength } from '../../core/tools/toolbox.ts';
import { lineNumber, numberLines, splitLines } from '../../core/files/fileText.ts';
import type { Target } from '../../core/files/places.ts';
import type { FileContent } from '../platform/files.ts';
import { readContent } from '../platform/notebooks.ts';

const schema = z.strictObject({
  path: z.string(),
  start: z.optional(lineNumber().check(z.describe('First line'))),
  end: z.optional(lineNumber()),
  column: z.optional(lineNumber().check(z.describe('Where to continue in a truncated line'))),
});
type Args = z.infer<typeof schema>;

/** `read_file`: reads numbered lines of a file, including unsaved changes. */
export function readFileTool(gate: ReadGate): Tool {
  return defineTool({
    name: 'read_file',
    category: 'read',
    icon: 'file',
    label: vscode.l10n.t('Read File'),
    summary: {
      many: vscode.l10n.t('Read {0} files'),
      distinct: { argument: 'path', one: vscode.l10n.t('Read 1 file') },
    },
    deadline: 10_000,
    description:
      'Reads a text file with unsaved changes. Each line is its number, a tab, its text.',
    schema,
    title({ path, start, end }) {
      if (start === undefined && end === undefined) return vscode.l10n.t('Read {0}', path);
      if (end === undefined) return vscode.l10n.t('Read {0}, from line {1}', path, start ?? 1);
      if (start === end) return vscode.l10n.t('Read {0}, line {1}', path, end);
      return vscode.l10n.t('Read {0}, lines {1}–{2}', path, start ?? 1, end);
    },
    run: (args, context) =>
      gate.read(args.path, context, async (target) =>
        describe(target.value, await readContent(target, gate), args),
      ),
  });
}

function describe(target: Target, content: FileContent, range: Args): string | AllowedText {
  const label = pathLine(target.label);
  switch (content.kind) {
    case 'text': {
      const { text, isAllowed } = outgoingText(content.text, target);
      const { cells, isDirty } = content;
      // Explained here, so that the requests of other chats don't need this note.
      const note =
        cells === undefined
          ? ''
          : ` (notebook, ${cells} ${cells === 1 ? 'cell' : 'cells'} without outputs; “%% cell” lines begin them, a new one with “%% cell code python” or “%% cell markdown”)`;
      const result = describeText(label + note, text, isDirty, range);
      return isAllowed ? new AllowedText(result) : result;
    }
    case 'binary':
      return `${label} is binary (${content.size} bytes): it has no text to read.`;
    case 'huge':
      return `${label} is too large to read (${content.size} bytes). search_text finds lines in it.`;
    case 'folder':
      throw new ToolError(`${label} is a folder. list_files shows what is in it.`);
    case 'missing':
      throw new ToolError(`${label} does not exist. list_files shows what there is.`);
  }
}

/** Characters reserved for the heading and the note on how to continue. */
const aroundLines = 1000;

function describeText(label: string, text: string, isDirty: boolean, range: Args): string {
  const lines = splitLines(text);
  const unsaved = isDirty ? ', not saved' : '';
  if (lines.length === 0) return `${label} is empty${unsaved}.`;
  const { start = 1, end = lines.length, column = 1 } = range;
  if (start > lines.length) throw new ToolError(`${label} has ${lines.length} lines.`);
  if (end < start) throw new ToolError('The range ends before it begins.');
  const { text: numbered, first, last } = numberLines(lines, range, maxResultLength - aroundLines);
  const from = column === 1 ? '' : `, from column ${column}`;
  const head = `${label}, lines ${first}-${last} of ${lines.length}${from}${unsaved}`;
  const isCut = last < Math.min(end, lines.length);
  return `${head}\n${numbered}${isCut ? `\n(Cut: read on from line ${last + 1}.)` : ''}`;
}
