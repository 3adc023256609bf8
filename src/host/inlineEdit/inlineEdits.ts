import type * as vscode from 'vscode';
import type { Side } from '../../core/code/rowSteps.ts';

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
   * @throws what `produce` rejected with; a `Refusal` where another change is open at that place, or
   * the person writes there meanwhile
   */
  stream(place: EditPlace, produce: ProduceText): Promise<void>;
  /** The same for code that is there already. */
  propose(place: EditPlace, code: string): Promise<void>;
  /**
   * `aside.acceptEdit`, `aside.rejectEdit`
   * @param given what the command was given; without anything, all in the active editor is decided
   */
  decide(side: Side, given?: unknown): Promise<void>;
}
