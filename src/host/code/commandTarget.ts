import * as vscode from 'vscode';
import type { CodeToEdit } from '../../core/code/codePrompt.ts';
import { renderCell } from '../../core/edits/notebookText.ts';
import { isObject } from '../../core/support/json.ts';
import { truncateText } from '../../core/support/text.ts';
import type { EditPlace } from '../review/answerCode.ts';
import { labelFor, cellOf } from '../workspace/location.ts';
import { cellTexts } from '../workspace/notebooks.ts';

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

/** The parts of a document that are sent so that the model can rewrite some lines. */
export function codeToEdit(target: EditPlace, diagnostics: readonly string[]): CodeToEdit {
  const { document, start, end } = target;
  const around = cellsAround(document);
  return {
    path: labelFor(document.uri),
    language: document.languageId,
    before: around.before + linesOf(document, 0, start),
    selected: linesOf(document, start, end),
    after: linesOf(document, end, document.lineCount) + around.after,
    firstLine: start + 1,
    ...(diagnostics.length === 0 ? {} : { diagnostics }),
  };
}

/** The cells before and after a document's cell, as cells use each other's definitions. */
function cellsAround({ uri }: vscode.TextDocument): {
  readonly before: string;
  readonly after: string;
} {
  const cell = cellOf(uri);
  if (cell === undefined) return { before: '', after: '' };
  const texts = cellTexts(cell.notebook).map((content, index) =>
    renderCell({ ...content, number: index + 1 }),
  );
  const { index } = cell;
  const [firstLine = ''] = texts[index]?.split('\n') ?? [];
  return {
    before: `${texts.slice(0, index).join('')}${firstLine}\n`,
    after: texts.slice(index + 1).join(''),
  };
}

export function problemsOf({ document, start, end }: EditPlace): readonly vscode.Diagnostic[] {
  const all = vscode.languages.getDiagnostics(document.uri);
  return all.filter(({ range }) => range.end.line >= start && range.start.line < end);
}

/** Each line with its end, so that empty lines at the end are sent too. */
function linesOf(document: vscode.TextDocument, start: number, end: number): string {
  const lines = Array.from({ length: end - start }, (_, i) => document.lineAt(start + i).text);
  return lines.map((line) => `${line}\n`).join('');
}

const severities: Readonly<Record<vscode.DiagnosticSeverity, string>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'information',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

/** Maximum number of characters of one message. */
const maxMessageLength = 2000;

/** Formats a diagnostic for a model: location, message, source and related information. */
export function diagnosticText(diagnostic: vscode.Diagnostic): string {
  const { severity, message, range, relatedInformation = [] } = diagnostic;
  const origin = originOf(diagnostic);
  const head = `line ${range.start.line + 1}: ${severities[severity]}: ${cut(message)}${origin}`;
  const related = relatedInformation.map(({ location, message: words }) => {
    const path = labelFor(location.uri);
    return `  related: ${path}:${location.range.start.line + 1}: ${cut(words)}`;
  });
  return [head, ...related].join('\n');
}

function originOf({ source = '', code = '' }: vscode.Diagnostic): string {
  const id = String(typeof code === 'object' ? code.value : code);
  const origin = [source, id].filter((part) => part !== '').join(' ');
  return origin === '' ? '' : ` (${origin})`;
}

function cut(message: string): string {
  return message.length <= maxMessageLength
    ? message
    : `${truncateText(message, maxMessageLength)}…`;
}
