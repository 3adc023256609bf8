import * as vscode from 'vscode';
import { CodeExtractor } from '../../core/code/codeExtractor.ts';
import { CodeIndenter, indentOfLines } from '../../core/code/codeIndenter.ts';

/** Whole lines of a document, 0-based; `end` is exclusive. Without lines, a position to insert at. */
export interface EditPlace {
  readonly document: vscode.TextDocument;
  readonly start: number;
  readonly end: number;
}

/** Produces the raw text of a reply in chunks, and resolves at its end. */
export type ProduceText = (onText: (text: string) => void, signal: AbortSignal) => Promise<void>;

/** Produces code in whole lines. Resolves at its end; rejects if it fails. */
export type ProduceCode = (onCode: (code: string) => void, signal: AbortSignal) => Promise<void>;

/** Extracts the code of a streamed reply, and indents it for its target. */
export function answerCode(target: EditPlace, produce: ProduceText): ProduceCode {
  return async (onCode, signal) => {
    const answer = new CodeExtractor(target.document.languageId);
    const code = new CodeIndenter({
      indent: indentOfPlace(target),
      unit: levelOf(target.document),
    });
    await produce((text) => onCode(code.push(answer.push(text))), signal);
    onCode(code.push(answer.end()) + code.end());
  };
}

function indentOfPlace({ document, start, end }: EditPlace): string {
  return indentOfLines(
    Array.from({ length: end - start }, (_, line) => document.lineAt(start + line).text),
  );
}

function levelOf(document: vscode.TextDocument): string {
  const editor = vscode.window.visibleTextEditors.find(
    (candidate) => candidate.document === document,
  );
  const { insertSpaces = true, tabSize = 4 } = editor?.options ?? {};
  return insertSpaces === false ? '\t' : ' '.repeat(Number(tabSize));
}
