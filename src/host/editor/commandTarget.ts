import * as vscode from 'vscode';
import type { CodeToEdit } from '../../core/code/codePrompt.ts';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { renderCell } from '../../core/edits/notebookText.ts';
import { newId } from '../../core/support/id.ts';
import { isObject } from '../../core/support/json.ts';
import { truncateText } from '../../core/support/text.ts';
import { UserError } from '../platform/errors.ts';
import { linesAt, type EditPlace } from '../review/review.ts';
import { labelFor, cellOf } from '../platform/location.ts';
import { cellTexts } from '../platform/notebooks.ts';
import { activeCode, attachmentOf, linesAround, linesAtCursor } from '../platform/selection.ts';

/** The argument of a code command that is not run at the cursor. */
export interface CodeCommandArgument {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  readonly diagnostics?: readonly vscode.Diagnostic[];
  /** The person's instruction, in addition to that of the command. */
  readonly instruction?: string;
  /** The model for this request only. */
  readonly model?: string;
}

/** Type guard: menus pass other arguments, and keybindings none. */
export function isCodeCommandArgument(argument: unknown): argument is CodeCommandArgument {
  if (!isObject(argument)) return false;
  const { uri, range, diagnostics = [] } = argument;
  return uri instanceof vscode.Uri && range instanceof vscode.Range && Array.isArray(diagnostics);
}

/**
 * The whole lines that a command applies to: those around its argument, or the selection, the symbol at
 * the cursor or the file.
 *
 * @throws {UserError} if no file is open
 */
export async function placeOf(argument: unknown): Promise<EditPlace> {
  if (isCodeCommandArgument(argument)) {
    const document = await vscode.workspace.openTextDocument(argument.uri);
    return { document, ...(await linesAround(document, argument.range)) };
  }
  const editor = activeCode(argument);
  if (editor === undefined) {
    throw new UserError(vscode.l10n.t('Open a file and select some code first.'));
  }
  return { document: editor.document, ...(await linesAtCursor(editor)) };
}

/** The parts of a document that are sent so that the model can rewrite some lines. */
export function codeToEdit(place: EditPlace, diagnostics: readonly string[]): CodeToEdit {
  const { document, start, end } = place;
  // Each line with its end, so that empty lines at the end are sent too.
  const linesIn = (first: number, last: number): string =>
    linesAt({ document, start: first, end: last })
      .map((line) => `${line}\n`)
      .join('');
  let above = linesIn(0, start);
  let below = linesIn(end, document.lineCount);
  // Cells use each other's definitions.
  const cell = cellOf(document.uri);
  if (cell !== undefined) {
    const texts = cellTexts(cell.notebook).map((content, index) =>
      renderCell({ ...content, number: index + 1 }),
    );
    const [firstLine = ''] = texts[cell.index]?.split('\n') ?? [];
    above = `${texts.slice(0, cell.index).join('')}${firstLine}\n${above}`;
    below += texts.slice(cell.index + 1).join('');
  }
  return {
    path: labelFor(document.uri),
    language: document.languageId,
    above,
    selected: linesIn(start, end),
    below,
    firstLine: start + 1,
    ...(diagnostics.length === 0 ? {} : { diagnostics }),
  };
}

/** A message about some lines, with their code. */
export function messageAbout({ document, start, end }: EditPlace, text: string): UserMessage {
  const lines =
    end > start
      ? new vscode.Range(new vscode.Position(start, 0), document.lineAt(end - 1).range.end)
      : undefined;
  const code = attachmentOf(document, lines, newId());
  return { text, attachments: code === undefined ? [] : [code] };
}

export function problemsOf({ document, start, end }: EditPlace): readonly vscode.Diagnostic[] {
  const all = vscode.languages.getDiagnostics(document.uri);
  return all.filter(({ range }) => range.end.line >= start && range.start.line < end);
}

/** In the order of `vscode.DiagnosticSeverity`. */
const severities = ['error', 'warning', 'information', 'hint'];

/** Maximum number of characters of one message. */
const maxMessageLength = 2000;

/** Formats a diagnostic for a model: location, message, source and related information. */
export function diagnosticText(diagnostic: vscode.Diagnostic): string {
  const { severity, message, range, relatedInformation = [] } = diagnostic;
  const { source = '', code = '' } = diagnostic;
  const id = String(typeof code === 'object' ? code.value : code);
  const origin = [source, id].filter((part) => part !== '').join(' ');
  const head = `line ${range.start.line + 1}: ${severities[severity]}: ${cut(message)}`;
  const related = relatedInformation.map(({ location, message: words }) => {
    const path = labelFor(location.uri);
    return `  related: ${path}:${location.range.start.line + 1}: ${cut(words)}`;
  });
  return [origin === '' ? head : `${head} (${origin})`, ...related].join('\n');
}

function cut(message: string): string {
  return message.length <= maxMessageLength
    ? message
    : `${truncateText(message, maxMessageLength)}…`;
}
