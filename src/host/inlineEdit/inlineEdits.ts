import * as vscode from 'vscode';
import { CodeExtractor } from '../../core/code/codeExtractor.ts';
import { CodeIndenter, indentOfLines } from '../../core/code/codeIndenter.ts';
import type { EditDecision } from '../../core/code/rowSteps.ts';
import type { ProduceCode } from './review.ts';

/** Whole lines of a document, from 0; `end` is behind the last. Without a line, a place to insert. */
export interface EditPlace {
  readonly document: vscode.TextDocument;
  readonly start: number;
  readonly end: number;
}

/** Gives the raw text of an answer piece by piece, until all came. */
export type ProduceText = (onText: (text: string) => void, signal: AbortSignal) => Promise<void>;

/** Changes of documents that a person reviews where they are made. */
export interface InlineEdits {
  /**
   * Streams code over whole lines of a document as a change to review. Resolves when all came and
   * the person can decide, or stopped it.
   * @param produce calls `onText` with the raw answer; where it rejects, every byte is as before
   * @throws what `produce` rejected with; a `UserError` where another change is open at that place, or
   * the person writes there meanwhile
   */
  stream(place: EditPlace, produce: ProduceText): Promise<void>;
  /** The same for code that is there already. */
  propose(place: EditPlace, code: string): Promise<void>;
  /**
   * `aside.acceptEdit`, `aside.rejectEdit`
   * @param given what the command was given; without anything, all in the active editor is decided
   */
  decide(side: EditDecision, given?: unknown): Promise<void>;
}

/** The code of an answer as it streams, indented for the place where it goes. */
export function answerCode(place: EditPlace, produce: ProduceText): ProduceCode {
  return async (onCode, signal) => {
    const answer = new CodeExtractor(place.document.languageId);
    const code = new CodeIndenter({ indent: indentOfPlace(place), unit: levelOf(place.document) });
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
