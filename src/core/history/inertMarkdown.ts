import { fenceFor } from '../support/text.ts';

/** A code block that is open: at the top, or inside of a list. */
interface OpenFence {
  /** The backticks or tildes of its first line. */
  readonly mark: string;
  /** Columns before them. */
  readonly indent: number;
  readonly isNested: boolean;
}

/** Characters before a backtick that are looked at: more of them without a space are no word. */
const maxWord = 200;

/** What a line may be in: undefined outside of code blocks. */
type State = OpenFence | undefined;

/** More than this are only in a text that is made to have them. */
const maxStates = 12;

/** Columns that the content of a list has before it, at least. */
const minListIndent = 2;

/**
 * Markdown of a model or a person that does nothing wherever it is read: without HTML, images, and
 * links that run something. Code stays as it is, as long as every reader of Markdown must take it for
 * code; where that is unclear, it is escaped. It ends outside of code blocks.
 *
 * @param links what becomes of other links. Written out, none has another text than its address.
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

/** The whole text as code, where readers of Markdown may differ about it. */
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

/** Whether the list around a code block may end before the line, and the code block with it. */
function mayEnd({ indent, isNested }: OpenFence, line: string): boolean {
  return isNested && line.trim() !== '' && columnsBefore(line) < indent;
}

/** What the next line may be in. */
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
  const rest = line.trim();
  const isMark =
    rest.length >= state.mark.length && rest === state.mark.charAt(0).repeat(rest.length);
  if (!isMark) return [state];
  const columns = columnsBefore(line);
  if (!state.isNested) return columns > 3 ? [state] : [undefined];
  return columns > state.indent ? [state, undefined] : [undefined];
}

/** The first line of a code block, alone or behind marks of lists and quotes. */
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
  /** Whether no code of the line can go on in the next one. */
  readonly isBalanced: boolean;
}

/** @param mayHaveCode whether code between backticks is certain to be that, and kept as it is */
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

/** Makes HTML, images and links that run something plain text. */
function escapeText(text: string, links: 'kept' | 'written'): string {
  const inert = text
    .replace(/&(?=#|\w{1,40};)/g, '&amp;')
    // Before the @ of an address may be any sign.
    .replace(/<(?=[a-z/!?]|[^\s<>]*@)/gi, '&lt;')
    .replace(/\b(javascript|vbscript|data|command)(\\?:)(?=\S)/gi, '$1$2 ');
  if (links === 'kept') return inert.replaceAll('![', String.raw`!\[`);
  // A backslash would do less: one that is there already would take it away.
  return inert.replace(/(?<!\\)((?:\\\\)*)\[/g, '$1&#91;');
}
