import type { LineEdit } from './rowSteps.ts';

/** A text that is replaced, by lines and characters from 0. */
export interface TextChange {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

/** What of a document must be known to change lines of it. */
export interface DocumentShape {
  /** At least 1: what is behind the last line end is a line as well. */
  readonly lineCount: number;
  /** Characters of a line, without its end. */
  readonly lengthOf: (line: number) => number;
  readonly lineEnd: '\n' | '\r\n';
}

/**
 * The replacement that carries out an edit of whole lines, so that the one in the other direction
 * brings back every byte: a last line without a line end is left without one.
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
  // There is no line end behind these lines: the one in front of them comes and goes with them.
  const previous = startLine - 1;
  const start = { startLine: previous, startCharacter: lengthOf(previous) };
  return { ...start, ...end, text: edit.lines.length === 0 ? '' : lineEnd + text };
}
