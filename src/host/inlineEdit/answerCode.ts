import * as vscode from 'vscode';
import { FencedCode } from '../../core/code/fencedCode.ts';
import { IndentedCode, indentOfLines } from '../../core/code/indentedCode.ts';
import type { EditPlace, ProduceText } from './inlineEdits.ts';
import type { ProduceCode } from './review.ts';

/** The code of an answer as it streams, indented for the place where it goes. */
export function answerCode(place: EditPlace, produce: ProduceText): ProduceCode {
  return async (onCode, signal) => {
    const answer = new FencedCode(place.document.languageId);
    const code = new IndentedCode({ indent: indentOfPlace(place), unit: levelOf(place.document) });
    await produce((text) => onCode(code.push(answer.push(text))), signal);
    onCode(code.push(answer.end()) + code.end());
  };
}

function indentOfPlace({ document, start, end }: EditPlace): string {
  return indentOfLines(
    Array.from({ length: end - start }, (_, line) => document.lineAt(start + line).text),
  );
}

/** One level of indentation, as the editor has found it in the file. */
function levelOf(document: vscode.TextDocument): string {
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  const { insertSpaces = true, tabSize = 4 } = editor?.options ?? {};
  return insertSpaces === false ? '\t' : ' '.repeat(Number(tabSize));
}
