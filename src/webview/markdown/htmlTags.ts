import type { StateInline } from 'markdown-it';

/** HTML elements that models use in prose, and the elements that represent them. */
const drawnAs: ReadonlyMap<string, string> = new Map([
  ['sub', 'sub'],
  ['sup', 'sup'],
  ['kbd', 'kbd'],
  ['summary', 'strong'],
]);

/** Tags around longer text, or several lines, are shown as text: the text is about HTML. */
const maxContent = 200;

const lineBreak = /<br *\/?>/iy;
const opening = /<([a-z]{1,7})>/iy;
/** A fold on a line of its own. Its content is always visible. */
const fold = /<\/?(?:details(?: open)?|summary)>[ \t]*(?:\n|$|(?=<summary>))/iy;
const firstOfLine = /(?:^|\n)[ \t]*$/;
const beginnings = ['<br />', '<br/>', '<details open>', '</details>', '</summary>'].concat(
  Array.from(drawnAs.keys(), (name) => `<${name}>`),
);

/** A tag and its content, by offsets in the text. */
type HtmlTag =
  | { readonly kind: 'break' | 'fold'; readonly end: number }
  | {
      readonly kind: 'element';
      readonly name: string;
      readonly start: number;
      readonly contentEnd: number;
      readonly end: number;
    };

/**
 * The tag at an offset; `open` if more text may complete it; undefined if it is shown as text, as
 * all tags with attributes are.
 */
export function htmlTagAt(text: string, index: number, last: number): HtmlTag | 'open' | undefined {
  const lineBreakEnd = endOf(lineBreak, text, index);
  if (lineBreakEnd !== undefined) return { kind: 'break', end: lineBreakEnd };
  const foldEnd = endOf(fold, text, index);
  if (foldEnd !== undefined && firstOfLine.test(text.slice(Math.max(0, index - 9), index)))
    return { kind: 'fold', end: foldEnd };
  opening.lastIndex = index;
  const name = opening.exec(text)?.[1]?.toLowerCase() ?? '';
  if (drawnAs.has(name)) return elementAt(text, index, name, last);
  const next = text.slice(index, index + 15).toLowerCase();
  return beginnings.some((beginning) => beginning.startsWith(next)) ? 'open' : undefined;
}

function elementAt(
  text: string,
  index: number,
  name: string,
  last: number,
): HtmlTag | 'open' | undefined {
  const start = index + name.length + 2;
  const closing = `</${name}>`;
  const most = start + maxContent + closing.length;
  const content = text.slice(start, Math.min(last, most)).toLowerCase();
  const length = content.indexOf(closing);
  const isLine = !content.slice(0, length < 0 ? undefined : length).includes('\n');
  if (length < 0 || !isLine) return isLine && last < most ? 'open' : undefined;
  const contentEnd = start + length;
  return { kind: 'element', name, start, contentEnd, end: contentEnd + closing.length };
}

function endOf(pattern: RegExp, text: string, index: number): number | undefined {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** A rule of the parser for {@link htmlTagAt}. */
export function readHtmlTag(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const tag = src[pos] === '<' ? htmlTagAt(src, pos, posMax) : undefined;
  if (tag === undefined || tag === 'open' || tag.end > posMax) return false;
  if (!silent && tag.kind === 'break') state.push('hardbreak', 'br', 0);
  if (!silent && tag.kind === 'element') {
    const drawn = drawnAs.get(tag.name) ?? '';
    state.push('html_open', drawn, 1);
    state.pos = tag.start;
    state.posMax = tag.contentEnd;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
    state.push('html_close', drawn, -1);
  }
  state.pos = tag.end;
  return true;
}
