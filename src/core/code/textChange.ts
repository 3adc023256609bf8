import type { LineEdit } from './rowSteps.ts';

/** A text replacement; lines and characters are counted from 0. */
export interface TextChange {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

/** The properties of a document that are needed to change its lines. */
export interface DocumentShape {
  /** At least 1: the text after the last line ending counts as a line. */
  readonly lineCount: number;
  /** Number of characters of a line, without its ending. */
  readonly lengthOf: (line: number) => number;
  readonly lineEnd: '\n' | '\r\n';
}

/**
 * The replacement for an edit of whole lines. Applying the reverse edit restores every byte: a last
 * line without a line ending stays without one.
 *
 * @param first line of the document at which the rows begin
 */
export function textChange(edit: LineEdit, first: number, shape: DocumentShape): TextChange {
  const { lineCount, lengthOf, lineEnd } = shape;
  const startLine = first + edit.start;
  const endLine = first + edit.end;
  if (endLine < lineCount) {
    const text = edit.lines.map((line) => line + lineEnd).join('');
    return { startLine, startCharacter: 0, endLine, endCharacter: 0, text };
  }
  const last = lineCount - 1;
  const end = { endLine: last, endCharacter: lengthOf(last) };
  const text = edit.lines.join(lineEnd);
  if (edit.start < edit.end && (edit.lines.length > 0 || startLine === 0)) {
    return { startLine, startCharacter: 0, ...end, text };
  }
  // These lines have no line ending after them, so the one before them is added or removed instead.
  const previous = startLine - 1;
  const start = { startLine: previous, startCharacter: lengthOf(previous) };
  return { ...start, ...end, text: edit.lines.length === 0 ? '' : lineEnd + text };
}
