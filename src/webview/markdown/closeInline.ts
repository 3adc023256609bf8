import { emphasisClosers, type DelimiterRun } from './delimiterRuns.ts';
import { InlineReader, type Bracket } from './inlineReader.ts';

/** Maximum length of a link label; longer text after an open bracket isn't one. */
const maxLabelLength = 200;

/** Closes or removes unfinished syntax at the end of inline text. */
export function closeInline(text: string): string {
  const { marks, brackets, end, closer } = new InlineReader(text);
  const labels = brackets.filter((bracket) => mayBeLabel(bracket, end));
  // Unfinished images are hidden.
  const picture = labels.find(({ isPicture }) => isPicture);
  const last = withoutOpeners(picture?.position ?? end, marks, labels);
  const visible = trimEnd(withoutBrackets(text.slice(0, last), labels));
  return visible + (last === end ? closer : '') + emphasisClosers(marks);
}

/**
 * An open label is shown without its bracket, since most labels are links: the text then stays in
 * place when the address arrives. If none arrives, the bracket is inserted when that is certain.
 * Showing the bracket meanwhile would make every link jump; holding the label back would delay it.
 */
function mayBeLabel({ position, isIndex }: Bracket, end: number): boolean {
  return !isIndex && end - position <= maxLabelLength;
}

/**
 * Drops the openers at or after `end`, which enclose nothing. Returns the end of the remaining
 * text.
 */
function withoutOpeners(end: number, marks: DelimiterRun[], labels: Bracket[]): number {
  let last = end;
  for (;;) {
    const mark = marks.at(-1);
    const label = labels.at(-1);
    const endsMark = mark !== undefined && mark.position + mark.length >= last;
    const endsLabel = label !== undefined && label.position + 1 >= last;
    const opener = endsMark ? marks.pop() : endsLabel ? labels.pop() : undefined;
    if (opener === undefined) return last;
    last = Math.min(last, opener.position);
  }
}

function withoutBrackets(text: string, labels: readonly Bracket[]): string {
  let result = '';
  let from = 0;
  for (const { position } of labels) {
    result += text.slice(from, position);
    from = position + 1;
  }
  return result + text.slice(from);
}

/** Trims the trailing whitespace that Markdown ignores; other spaces are rendered. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n\r'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
