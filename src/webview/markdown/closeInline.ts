interface Mark {
  readonly character: string;
  readonly length: number;
}

/**
 * A run of inline text with what is unfinished at its end closed or left out. It follows the
 * grammar roughly: a wrong guess is gone with the next frame.
 */
export function closeInline(text: string): string {
  const kept = withoutMarks(cutBrackets(withoutMarks(text)));
  const open: Mark[] = [];
  let index = 0;
  while (index < kept.length) {
    const mark = markAt(kept, index);
    if (mark?.character === '`') {
      const end = endOfCode(kept, index + mark.length, mark.length);
      if (end === undefined) return closeCode(kept, index, mark.length, open);
      index = end;
    } else if (mark !== undefined) {
      openOrClose(kept, index, mark, open);
      index += mark.length;
    } else {
      index += kept[index] === '\\' ? 2 : 1;
    }
  }
  return kept.trimEnd() + closers(open);
}

/** A run of marks at the end may still grow, or open something. */
function withoutMarks(text: string): string {
  return text.replace(/[*_~`!]+$/, '');
}

function markAt(text: string, index: number): Mark | undefined {
  const character = text[index];
  if (character === undefined || !'*_~`'.includes(character)) return undefined;
  let end = index;
  while (text[end] === character) end++;
  return { character, length: end - index };
}

function endOfCode(text: string, from: number, length: number): number | undefined {
  for (let index = text.indexOf('`', from); index >= 0; index = text.indexOf('`', index)) {
    const run = markAt(text, index)?.length ?? 1;
    index += run;
    if (run === length) return index;
  }
  return undefined;
}

function closeCode(text: string, start: number, length: number, open: readonly Mark[]): string {
  const isEmpty = text.slice(start + length).trim() === '';
  if (isEmpty) return closeInline(text.slice(0, start));
  return text.trimEnd() + '`'.repeat(length) + closers(open);
}

function openOrClose(text: string, index: number, mark: Mark, open: Mark[]): void {
  const { character } = mark;
  if (character === '~' && mark.length !== 2) return;
  const before = text[index - 1] ?? ' ';
  const after = text[index + mark.length] ?? ' ';
  const insideWord = character === '_' && /\w/.test(before) && /\w/.test(after);
  if (insideWord) return;
  const opens = /\S/.test(after);
  const length = /\S/.test(before) ? close(mark, open, !opens) : mark.length;
  if (length > 0 && opens) open.push({ character, length });
}

/**
 * Closes what a mark is long enough for, as `***` does both `*` and `**`; where it can only close,
 * also a part of what is longer. Tells what is left of the mark.
 */
function close({ character, length }: Mark, open: Mark[], onlyCloses: boolean): number {
  let left = length;
  for (let last = open.at(-1); last?.character === character && left > 0; last = open.at(-1)) {
    if (last.length > left && !onlyCloses) break;
    open.pop();
    if (last.length > left) open.push({ character, length: last.length - left });
    left = Math.max(0, left - last.length);
  }
  return left;
}

function closers(open: readonly Mark[]): string {
  return open
    .toReversed()
    .map(({ character, length }) => character.repeat(length))
    .join('');
}

/** Shows an unfinished link as its label, and nothing of an unfinished picture. */
function cutBrackets(text: string): string {
  const unfinished =
    /(!?)\[([^\][\n]*)(?:\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+(?:"[^"]*"?|'[^']*'?)?)?)?)?$/;
  const match = unfinished.exec(text);
  if (match === null || /\w$/.test(text.slice(0, match.index))) return text;
  return text.slice(0, match.index) + (match[1] === '!' ? '' : (match[2] ?? ''));
}
