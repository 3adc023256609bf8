import { fitsInOrder, type PathTest, type Piece } from './globs.ts';

/**
 * The rules of one `.gitignore` file, which ignore what Git ignores by them. Git compares bytes, so
 * `?` is one of the two of `ü`.
 */
export class IgnoreRules {
  readonly #folder: string;
  readonly #rules: readonly Rule[];

  /** @param folder that contains the file; empty for the root, otherwise without a trailing `/` */
  constructor(text: string, folder: string) {
    this.#folder = folder;
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
    this.#rules = lines.flatMap((line) => readRule(line) ?? []);
  }

  /** True if the path is ignored; undefined if no rule matches it. */
  ignores(path: string, isFolder: boolean): boolean | undefined {
    const below = this.#folder === '' ? path : path.slice(this.#folder.length + 1);
    const rule = this.#rules.findLast(
      ({ fits, foldersOnly }) => (isFolder || !foldersOnly) && fits(below),
    );
    return rule?.ignores;
  }
}

/** True if nested rules ignore a path: those of the innermost folder take precedence. */
export function isIgnored(rules: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  for (const ignoreRules of rules.toReversed()) {
    const ignored = ignoreRules.ignores(path, isFolder);
    if (ignored !== undefined) return ignored;
  }
  return false;
}

interface Rule {
  readonly fits: PathTest;
  readonly ignores: boolean;
  readonly foldersOnly: boolean;
}

/** Undefined for a comment, and for a pattern that matches nothing. */
function readRule(line: string): Rule | undefined {
  if (line.startsWith('#')) return undefined;
  // Spaces at the end of a rule do not count, except for one that a backslash escapes.
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    const isEscape = line[at] === '\\';
    if (isEscape) at++;
    if (isEscape || line[at] !== ' ') end = at + 1;
  }
  const written = line.slice(0, end);
  const ignores = !written.startsWith('!');
  const foldersOnly = written.endsWith('/');
  const pattern = written.slice(ignores ? 0 : 1, foldersOnly ? -1 : undefined);
  if (pattern === '') return undefined;
  // Without a slash, it matches names in any folder.
  const fits = pattern.includes('/')
    ? compilePath(pattern.startsWith('/') ? pattern.slice(1) : pattern)
    : compileNames(pattern, ['any']);
  return fits && { fits, ignores, foldersOnly };
}

/** The bytes of a text in UTF-8, as characters. */
function bytesOf(text: string): string {
  return /^[\x00-\x7f]*$/.test(text)
    ? text
    : Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

type Byte = (byte: string) => boolean;
type Name = readonly Piece<Byte>[];

/**
 * Git compares the text before the first special character by itself. So stars behind it are whole
 * folders, as at the start of a name: `a**` + `/b` is `ab`, and `b` in a folder that begins with `a`.
 */
const starsAfterText = /^([^*?[\\]*[^*?[\\/])\*{2,}(?:\/(?:\*{2,}\/)*(.*))?$/s;

/** Compiles a pattern as Git's `wildmatch` reads it; undefined if it matches nothing. */
function compilePath(pattern: string): PathTest | undefined {
  const [, start, end] = starsAfterText.exec(pattern) ?? [];
  if (start === undefined) return compileNames(pattern);
  const tests =
    end === undefined
      ? [compileNames(`${start}*`), compileNames(`${start}*/**`)]
      : [compilePath(start + end), compileNames(`${start}*/**/${end}`)];
  return (path) => tests.some((test) => test?.(path) === true);
}

/** @param above what may be above the names */
function compileNames(pattern: string, above: readonly 'any'[] = []): PathTest | undefined {
  const names = readNames(bytesOf(pattern));
  if (names === undefined) return undefined;
  const isPath = above.length === 0;
  const below = names.flatMap((name, index): readonly Piece<Name>[] => {
    const isStars = isPath && name.length > 1 && name.every((piece) => piece === 'any');
    if (!isStars) return [name];
    // At the end, the stars are what is in the folder, and not the folder.
    return index === names.length - 1 ? [['any'], 'any'] : ['any'];
  });
  const segments = [...above, ...below];
  return (path) =>
    fitsInOrder(segments, bytesOf(path).split('/'), (name, text) =>
      fitsInOrder(name, Array.from(text), (piece, byte) => piece(byte)),
    );
}

/** The pieces between the slashes; undefined for an unclosed class and a lone backslash. */
function readNames(pattern: string): readonly Name[] | undefined {
  let name: Piece<Byte>[] = [];
  const names: Piece<Byte>[][] = [name];
  // After the last `]`, a `[` has no end: looking for one there again and again would be quadratic.
  const lastEnd = pattern.lastIndexOf(']');
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (character === '[') {
      const found = at < lastEnd ? readClass(pattern, at + 1) : undefined;
      if (found === undefined) return undefined;
      name.push(found.has);
      at = found.end;
    } else if (character === '*') name.push('any');
    else if (character === '?') name.push(() => true);
    else {
      if (character === '\\') at++;
      const literal = pattern[at];
      if (literal === undefined) return undefined;
      if (literal === '/') names.push((name = []));
      else name.push((byte) => byte === literal);
    }
  }
  return names;
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** Reads a class after its `[`; undefined if it has no end, or a name that isn't known. */
function readClass(
  pattern: string,
  start: number,
): { readonly has: Byte; readonly end: number } | undefined {
  const isNegated = /[!^]/.test(pattern[start] ?? '');
  const first = isNegated ? start + 1 : start;
  const members: Byte[] = [];
  /** The last single character, which a range may begin with. */
  let previous: string | undefined;
  for (let at = first; at < pattern.length; at++) {
    let character = pattern[at] ?? '';
    if (character === ']' && at > first)
      return { has: (byte) => isNegated !== members.some((has) => has(byte)), end: at };
    const next = pattern[at + 1];
    if (character === '[' && next === ':') {
      const end = pattern.indexOf(']', at + 2);
      if (end < 0) return undefined;
      if (end > at + 2 && pattern[end - 1] === ':') {
        const named = classes[pattern.slice(at + 2, end - 1)];
        if (named === undefined) return undefined;
        members.push((byte) => named.test(byte));
        previous = undefined;
        at = end;
        continue;
      }
    }
    if (character === '-' && previous !== undefined && next !== undefined && next !== ']') {
      const from = previous;
      at += next === '\\' ? 2 : 1;
      const to = pattern[at];
      if (to === undefined) return undefined;
      members.push((byte) => from <= byte && byte <= to);
      previous = undefined;
      continue;
    }
    if (character === '\\') {
      at++;
      if (next === undefined) return undefined;
      character = next;
    }
    const member = character;
    members.push((byte) => byte === member);
    previous = member;
  }
  return undefined;
}
