import * as vscode from 'vscode';
import type { DocumentShape } from '../../core/code/textChange.ts';

/** What of a document must be known to change lines of it. */
export function shapeOf(document: vscode.TextDocument): DocumentShape {
  return {
    lineCount: document.lineCount,
    lengthOf: (line) => document.lineAt(line).text.length,
    lineEnd: document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
  };
}

/** A line of a document; undefined behind its end. */
export function lineOf(document: vscode.TextDocument, line: number): string | undefined {
  return line < document.lineCount ? document.lineAt(line).text : undefined;
}
