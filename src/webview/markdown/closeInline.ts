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
      if (end === undefined) return closeCode(kept, index, mark.length) + closers(open);
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

function closeCode(text: string, start: number, length: number): string {
  const code = text.slice(start + length);
  return code.trim() === '' ? text.slice(0, start) : text.trimEnd() + '`'.repeat(length);
}

function openOrClose(text: string, index: number, mark: Mark, open: Mark[]): void {
  if (mark.character === '~' && mark.length !== 2) return;
  const before = text[index - 1] ?? ' ';
  const after = text[index + mark.length] ?? ' ';
  const insideWord = mark.character === '_' && /\w/.test(before) && /\w/.test(after);
  const last = open.at(-1);
  if (insideWord) return;
  if (last?.character === mark.character && last.length === mark.length && /\S/.test(before))
    open.pop();
  else if (/\S/.test(after)) open.push(mark);
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
