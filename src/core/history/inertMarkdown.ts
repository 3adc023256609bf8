import { fenceFor } from '../support/text.ts';

/** An open code block, at the top level or inside a list. */
interface OpenFence {
  /** The backticks or tildes of its first line. */
  readonly mark: string;
  /** Number of columns before them. */
  readonly indent: number;
  readonly isNested: boolean;
}

/** Number of characters before a backtick that are examined; a longer run is no word. */
const maxWord = 200;

/** The code block that a line is in; undefined outside of code blocks. */
type State = OpenFence | undefined;

/** Maximum number of states; only a text that is made for it has more. */
const maxStates = 12;

/** Minimum number of columns before the content of a list. */
const minListIndent = 2;

/**
 * Makes Markdown of a model or a person inert in every viewer: without HTML, images, and links that
 * run something. Code stays unchanged if every Markdown parser must treat it as code; otherwise it
 * is escaped. The result ends outside of code blocks.
 *
 * @param links treatment of other links; `written` makes a link's text its address
 */
export function inertMarkdown(text: string, links: 'kept' | 'written' = 'kept'): string {
  const lines = text.split(/\r\n|\r|\n/);
  let states: readonly State[] = [undefined];
  let isBalanced = true;
  const inert: string[] = [];
  for (const line of lines) {
    const isCode = states.every((state) => state !== undefined && !mayEnd(state, line));
    states = distinct(states.flatMap((state) => after(state, line)));
    if (states.length > maxStates) return asCode(text);
    const isOpening = states.every((state) => state !== undefined);
    if (isOpening || line.trim() === '') isBalanced = true;
    const mayHaveCode: boolean = isBalanced && states.every((state) => state === undefined);
    const escaped: EscapedLine | undefined = isCode
      ? undefined
      : escapeLine(line, mayHaveCode, links);
    isBalanced &&= isOpening || escaped?.isBalanced !== false;
    inert.push(escaped?.text ?? line);
  }
  const open = states.find((state) => state?.isNested === false);
  if (open === undefined) return inert.join('\n');
  return states.length === 1 ? [...inert, open.mark].join('\n') : asCode(text);
}

/** The whole text as code, for text that Markdown parsers may interpret differently. */
function asCode(text: string): string {
  const fence = fenceFor(text);
  return `${fence}markdown\n${text}\n${fence}`;
}

function distinct(states: readonly State[]): readonly State[] {
  return [...new Map(states.map((state) => [JSON.stringify(state ?? ''), state])).values()];
}

function columnsBefore(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === ' ') columns += 1;
    else if (character === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** True if the list around a code block may end before the line, and the code block with it. */
function mayEnd({ indent, isNested }: OpenFence, line: string): boolean {
  return isNested && line.trim() !== '' && columnsBefore(line) < indent;
}

function after(state: State, line: string): readonly State[] {
  if (state === undefined) return afterText(line);
  const columns = columnsBefore(line);
  if (mayEnd(state, line)) {
    const ended = afterText(line);
    return columns < minListIndent ? ended : [...ended, ...afterCode(state, line)];
  }
  return afterCode(state, line);
}

function afterCode(state: OpenFence, line: string): readonly State[] {
  const trimmed = line.trim();
  const isMark =
    trimmed.length >= state.mark.length && trimmed === state.mark.charAt(0).repeat(trimmed.length);
  if (!isMark) return [state];
  const columns = columnsBefore(line);
  if (!state.isNested) return columns > 3 ? [state] : [undefined];
  return columns > state.indent ? [state, undefined] : [undefined];
}

/** The first line of a code block, alone or after markers of lists and quotes. */
const opening = /^([\s>*+\-\d.)]*)(?:(`{3,})[^`]*|(~{3,})(?!~).*)$/;

function afterText(line: string): readonly State[] {
  const [, before = '', backticks, tildes] = opening.exec(line) ?? [];
  const mark = backticks ?? tildes;
  if (mark === undefined) return [undefined];
  const indent = columnsBefore(line);
  const nested = { mark, indent: before.length, isNested: true };
  if (before.trim() !== '')
    return /^ {0,3}(?:[*+-]|1[.)]) {1,4}$/.test(before) ? [nested] : [undefined, nested];
  const top = { mark, indent, isNested: false };
  if (indent < minListIndent) return [top];
  return indent > 3 ? [undefined, { ...nested, indent }] : [top, { ...nested, indent }];
}

interface EscapedLine {
  readonly text: string;
  /** True if no code of the line can continue in the next one. */
  readonly isBalanced: boolean;
}

/** @param mayHaveCode whether text between backticks is certainly code, and left unchanged */
function escapeLine(line: string, mayHaveCode: boolean, links: 'kept' | 'written'): EscapedLine {
  if (!mayHaveCode) return { text: escapeText(line, links), isBalanced: !line.includes('`') };
  const parts: string[] = [];
  let position = 0;
  for (;;) {
    const start = firstBacktick(line, position);
    const [mark = ''] = /^`*/.exec(line.slice(start)) ?? [];
    const end = endOfSpan(line, start, mark);
    if (mark === '' || end === undefined) {
      parts.push(escapeText(line.slice(position), links));
      return { text: parts.join(''), isBalanced: mark === '' };
    }
    parts.push(escapeText(line.slice(position, start), links), line.slice(start, end));
    position = end;
  }
}

/** The next backtick without a backslash before it, or the end of the line. */
function firstBacktick(line: string, from: number): number {
  for (let index = from; index < line.length; index += 1) {
    if (line[index] === '\\') index += 1;
    else if (line[index] === '`') return index;
  }
  return line.length;
}

/** The end of code between backticks, unless a table or an address may break it up. */
function endOfSpan(line: string, start: number, mark: string): number | undefined {
  const before = line.slice(Math.max(0, start - maxWord), start);
  const word = before.slice(before.lastIndexOf(' ') + 1);
  if (word.length === maxWord || /[@:]|www|<[^<>]*$/i.test(word)) return undefined;
  for (let index = start + mark.length; index < line.length; index += 1) {
    if (line[index] === '|') return undefined;
    if (line[index] !== '`') continue;
    const [run = ''] = /^`+/.exec(line.slice(index, index + mark.length + 1)) ?? [];
    if (run === mark) return index + run.length;
    while (line[index + 1] === '`') index += 1;
  }
  return undefined;
}

/** Turns HTML, images and links that run something into plain text. */
function escapeText(text: string, links: 'kept' | 'written'): string {
  const inert = text
    .replace(/&(?=#|\w{1,40};)/g, '&amp;')
    // Any character may precede the @ of an address.
    .replace(/<(?=[a-z/!?]|[^\s<>]*@)/gi, '&lt;')
    .replace(/\b(javascript|vbscript|data|command)(\\?:)(?=\S)/gi, '$1$2 ');
  if (links === 'kept') return inert.replaceAll('![', String.raw`!\[`);
  // A backslash would not suffice: an existing one before it would cancel it.
  return inert.replace(/(?<!\\)((?:\\\\)*)\[/g, '$1&#91;');
}
