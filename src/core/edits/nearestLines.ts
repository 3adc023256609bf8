import { cutText } from '../support/cutText.ts';

/** So many lines are shown, and so many characters of each. */
const mostLines = 12;
const longestLine = 200;

/** Words of more lines than these are not looked for. */
const mostSearched = 100;

/**
 * The lines of a text that look most like those that were searched for, with their numbers; empty
 * where nothing does.
 */
export function nearestLines(text: string, search: string): string {
  const lines = text.split('\n');
  const wanted = search.split('\n');
  const start = likeliest(lines, wanted);
  if (start === undefined) return '';
  const from = Math.max(0, start - 1);
  return numbered(
    lines,
    from,
    Math.min(lines.length, from + Math.min(wanted.length + 2, mostLines)),
  );
}

/** Lines as `read_file` shows them: the number from 1, a tab, the line. */
export function numbered(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map((line, index) => `${from + index + 1}\t${shortened(line)}`)
    .join('\n');
}

function shortened(line: string): string {
  return line.length > longestLine ? `${cutText(line, longestLine)}…` : line;
}

/** Where most words of the searched lines stand, in their order. */
function likeliest(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const searched = new Map<string, number[]>();
  for (const [index, line] of wanted.slice(0, mostSearched).entries()) {
    for (const word of wordsOf(line)) pushTo(searched, word, index);
  }
  const standing = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    for (const word of wordsOf(line)) {
      if (searched.has(word)) pushTo(standing, word, index);
    }
  }
  // Each word votes for the line at which the searched text would begin; rare words say more.
  const votes = new Map<number, number>();
  for (const [word, places] of standing) {
    for (const place of searched.get(word)?.slice(0, 3) ?? []) {
      for (const index of places) {
        const begin = Math.max(0, index - place);
        votes.set(begin, (votes.get(begin) ?? 0) + 1 / places.length);
      }
    }
  }
  let best: number | undefined;
  for (const [begin, count] of votes) {
    if (best === undefined || count > (votes.get(best) ?? 0)) best = begin;
  }
  return best;
}

function pushTo(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else if (list.at(-1) !== value) list.push(value);
}

function wordsOf(line: string): readonly string[] {
  return line.slice(0, 1000).match(/[\p{L}\p{N}_]+/gu) ?? [];
}
