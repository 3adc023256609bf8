import * as vscode from 'vscode';
import { cutText } from '../../core/support/cutText.ts';
import { labelFor } from '../tools/labelFor.ts';

const severities: Readonly<Record<vscode.DiagnosticSeverity, string>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'information',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

/** Characters of one message. */
const longestMessage = 2000;

/** A problem in words for a model: where, what, who says so, and what is related to it. */
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
  return message.length <= longestMessage ? message : `${cutText(message, longestMessage)}…`;
}
