import { emphasisClosers, type DelimiterRun } from './delimiterRuns.ts';
import { InlineReader, type Bracket } from './inlineReader.ts';

/** Labels are shorter. What is longer behind an open bracket is text. */
const maxLabelLength = 200;

/** A run of inline text with what is unfinished at its end closed or left out. */
export function closeInline(text: string): string {
  const { marks, brackets, end, closer } = new InlineReader(text);
  const labels = brackets.filter((bracket) => mayBeLabel(bracket, end));
  // Nothing is shown of an unfinished picture.
  const picture = labels.find(({ isPicture }) => isPicture);
  const last = withoutOpeners(picture?.position ?? end, marks, labels);
  const kept = trimEnd(withoutBrackets(text.slice(0, last), labels));
  return kept + (last === end ? closer : '') + emphasisClosers(marks);
}

/**
 * An open label is shown without its bracket, as most are those of links: the words then stay where
 * they are when the address comes. Where none comes, the bracket is put in once, as soon as that is
 * certain. To show the bracket meanwhile would let every link jump, and to wait for the end of the
 * label would keep its words from the reader.
 */
function mayBeLabel({ position, isIndex }: Bracket, end: number): boolean {
  return !isIndex && end - position <= maxLabelLength;
}

/** Takes off what opens something right before the end, or behind it; tells where the rest ends. */
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
  let kept = '';
  let from = 0;
  for (const { position } of labels) {
    kept += text.slice(from, position);
    from = position + 1;
  }
  return kept + text.slice(from);
}

/** Without the spaces at the end that mean nothing in Markdown; others stay in the page. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n\r'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
