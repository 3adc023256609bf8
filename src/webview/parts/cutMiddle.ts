/** A text in three pieces that make it up again. */
interface TruncatedText {
  readonly head: string;
  /** What need not be drawn; empty where the text is short. */
  readonly hidden: string;
  readonly tail: string;
}

/** What stays at the front and at the back: so many lines, and not more than so many characters. */
const front = { lines: 30, length: 6000 };
const back = { lines: 10, length: 2000 };

/** Less than this is not worth a button. */
const minHidden = 200;

/** Cuts the middle out of a long text, at the ends of lines where they are not too far. */
export function truncateMiddle(text: string): TruncatedText {
  const start = characterBoundary(text, Math.min(endOfLines(text), front.length));
  const end = characterBoundary(text, Math.max(startOfLines(text), text.length - back.length));
  if (end - start < minHidden) return { head: text, hidden: '', tail: '' };
  return { head: text.slice(0, start), hidden: text.slice(start, end), tail: text.slice(end) };
}

function endOfLines(text: string): number {
  let end = 0;
  for (let line = 0; line < front.lines; line++) {
    end = text.indexOf('\n', end) + 1;
    if (end === 0) return text.length;
  }
  return end;
}

function startOfLines(text: string): number {
  // An end of line at the very end begins no line.
  let start = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < back.lines; line++) {
    start = start <= 0 ? -1 : text.lastIndexOf('\n', start - 1);
    if (start < 0) return 0;
  }
  return start + 1;
}

/** The index, but not in the middle of a character that takes two places. */
export function characterBoundary(text: string, index: number): number {
  const isSecondHalf = /[\udc00-\udfff]/.test(text.charAt(index));
  return isSecondHalf && /[\ud800-\udbff]/.test(text.charAt(index - 1)) ? index - 1 : index;
}
