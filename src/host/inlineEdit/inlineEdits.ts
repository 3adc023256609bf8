import * as vscode from 'vscode';
import { CodeExtractor } from '../../core/code/codeExtractor.ts';
import { CodeIndenter, indentOfLines } from '../../core/code/codeIndenter.ts';
import type { EditDecision } from '../../core/code/rowSteps.ts';
import type { ProduceCode } from './review.ts';

/** Whole lines of a document, 0-based; `end` is exclusive. Without lines, a place to insert. */
export interface EditPlace {
  readonly document: vscode.TextDocument;
  readonly start: number;
  readonly end: number;
}

/** Produces the raw text of a reply in chunks, and resolves at its end. */
export type ProduceText = (onText: (text: string) => void, signal: AbortSignal) => Promise<void>;

/** Edits of documents that the person reviews in place. */
export interface InlineEdits {
  /**
   * Streams code over whole lines of a document as a change to review. Resolves when all code has
   * arrived and the person can decide, or has stopped it.
   * @param produce calls `onText` with the raw reply; if it rejects, the original text is restored
   * @throws what `produce` rejected with; a `UserError` if another change is open at that place, or
   *   the person edits these lines meanwhile
   */
  stream(place: EditPlace, produce: ProduceText): Promise<void>;
  /** The same for complete code. */
  propose(place: EditPlace, code: string): Promise<void>;
  /**
   * `aside.acceptEdit`, `aside.rejectEdit`
   * @param given the argument of the command; without one, all changes of the active editor are
   *   decided
   */
  decide(side: EditDecision, given?: unknown): Promise<void>;
}

/** The code of a streamed reply, indented for its place. */
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

/** One level of indentation, as detected by the editor. */
function levelOf(document: vscode.TextDocument): string {
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  const { insertSpaces = true, tabSize = 4 } = editor?.options ?? {};
  return insertSpaces === false ? '\t' : ' '.repeat(Number(tabSize));
}
