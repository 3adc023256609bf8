/** A text in three pieces, which are the original when joined. */
interface TruncatedText {
  readonly head: string;
  /** The hidden part; empty if the text is short. */
  readonly hidden: string;
  readonly tail: string;
}

/** Limits of the visible parts, in lines and characters. */
const front = { lines: 30, length: 6000 };
const back = { lines: 10, length: 2000 };

/** Hiding fewer characters isn't worth a button. */
const minHidden = 200;

/** Cuts the middle out of a long text, at line ends if they are near. */
export function truncateMiddle(text: string): TruncatedText {
  const start = characterBoundary(text, Math.min(endOfFirstLines(text), front.length));
  const end = characterBoundary(text, Math.max(startOfLastLines(text), text.length - back.length));
  if (end - start < minHidden) return { head: text, hidden: '', tail: '' };
  return { head: text.slice(0, start), hidden: text.slice(start, end), tail: text.slice(end) };
}

function endOfFirstLines(text: string): number {
  let end = 0;
  for (let line = 0; line < front.lines; line++) {
    end = text.indexOf('\n', end) + 1;
    if (end === 0) return text.length;
  }
  return end;
}

function startOfLastLines(text: string): number {
  // A final line break doesn't start a line.
  let start = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < back.lines; line++) {
    start = start <= 0 ? -1 : text.lastIndexOf('\n', start - 1);
    if (start < 0) return 0;
  }
  return start + 1;
}

/** The index, moved back if it would split a surrogate pair. */
export function characterBoundary(text: string, index: number): number {
  const isSecondHalf = /[\udc00-\udfff]/.test(text.charAt(index));
  return isSecondHalf && /[\ud800-\udbff]/.test(text.charAt(index - 1)) ? index - 1 : index;
}
