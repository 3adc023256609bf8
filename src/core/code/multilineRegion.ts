import { trimEndOf } from '../support/text.ts';

/** How comments and strings of several lines begin and end. */
interface RegionMarks {
  readonly start: RegExp;
  readonly end: string;
  /** Languages that have it; all if absent. */
  readonly only?: RegExp;
}

const marks: readonly RegionMarks[] = [
  { start: /(?:^|[\s(,;{])\/\*/, end: '*/' },
  { start: /<!--/, end: '-->' },
  { start: /"""/, end: '"""' },
  { start: /'''/, end: "'''" },
  { start: /\{-/, end: '-}', only: /^haskell$/ },
  { start: /\(\*/, end: '*)', only: /^(?:ml|pascal|applescript|mathematica)$/ },
  { start: /--\[\[/, end: ']]', only: /^lua$/ },
  { start: /#\|/, end: '|#', only: /^lisp$/ },
  { start: /^=begin\b/, end: '=end', only: /^ruby$/ },
  { start: /^=(?:pod|head\d|over|item|begin)\b/, end: '=cut', only: /^perl6?$/ },
  { start: /%\{/, end: '%}', only: /^matlab$/ },
];

const hereDocument = /<<<?[-~]?\s*["']?([A-Za-z_]\w*)["']?[^\w]*$/;
const hereLanguages = /^(?:|shellscript|ruby|perl6?|php|dockerfile|makefile|terraform|hcl|yaml)$/;
const templateLanguages =
  /^(?:|typescript|javascript|typescriptreact|javascriptreact|go|vue|svelte|astro)$/;
/** Characters of a line in which a beginning is looked for. */
const maxLength = 2000;

/** Follows comments and strings of several lines, whose lines may be words. */
export class MultilineRegion {
  readonly #family: string;
  /** Finds the end of the open region, from an index on; -1 if it is not in the line. */
  #endOf: ((line: string, from: number) => number) | undefined;

  constructor(family: string) {
    this.#family = family;
  }

  get isOpen(): boolean {
    return this.#endOf !== undefined;
  }

  /** Adds a line; returns whether it begins inside a region. */
  push(line: string): boolean {
    const wasOpen = this.#endOf !== undefined;
    const end = this.#endOf?.(line, 0) ?? 0;
    if (end < 0) return true;
    this.#endOf = this.#openedIn(line, end);
    return wasOpen;
  }

  #openedIn(line: string, from: number): ((line: string, from: number) => number) | undefined {
    const text = line.slice(from, from + maxLength).trimEnd();
    const [, label] = hereDocument.exec(text) ?? [];
    if (label !== undefined && hereLanguages.test(this.#family)) {
      return (other) => (trimEndOf(other.trim(), ';,)') === label ? other.length : -1);
    }
    for (const { start, end, only } of marks) {
      if (only?.test(this.#family) === false) continue;
      const found = start.exec(text);
      if (found === null || isQuoted(text, found.index)) continue;
      const isClosed = text.includes(end, found.index + found[0].length);
      if (!isClosed) return (other, at) => endOf(other, end, at);
    }
    const ticks = text.split('`').length - 1;
    const isTemplate = templateLanguages.test(this.#family) && !text.trimStart().startsWith('```');
    return isTemplate && ticks % 2 === 1 ? (other, at) => endOf(other, '`', at) : undefined;
  }
}

function endOf(line: string, end: string, from: number): number {
  const at = line.indexOf(end, from);
  return at < 0 ? -1 : at + end.length;
}

/** Whether an index is inside a string of one line, as far as quotes in front of it tell. */
function isQuoted(text: string, index: number): boolean {
  const before = text.slice(0, index).replace(/\\./g, '');
  const isOdd = (quote: string): boolean => before.split(quote).length % 2 === 0;
  return !text.startsWith('"""', index) && !text.startsWith("'''", index)
    ? isOdd('"')
    : before.trimEnd().startsWith('#');
}
