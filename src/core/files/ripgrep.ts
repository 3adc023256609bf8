import {
  findSecretToken,
  looksLikeKeyLine,
  maskSecrets,
  secretStandIn,
  withStandIns,
} from '../support/secretTokens.ts';
import { lastSegment, truncateText } from '../support/text.ts';
import { ToolError } from '../support/toolError.ts';
import type { Location } from './places.ts';
import {
  type FileSearch,
  type FoundLine,
  maxReadLineLength,
  type SearchScope,
  type TextQuery,
} from './fileSearch.ts';
import { compileGlobs, type PathTest } from './globs.ts';

/**
 * Name of a ripgrep file type for the included names. Unlike `--glob`, a type does not include
 * ignored files; but it matches names only, so paths are tested afterwards.
 */
const kind = 'aside';

/** Options for every run: without configuration, with hidden files, `.gitignore` also without Git. */
const always = ['--no-config', '--no-messages', '--hidden', '--no-require-git', '--color=never'];

/**
 * Omits paths with a line end: in the output, the text after it would pass for the path of another
 * file (threats: T34).
 */
const unreadable = '--glob=!**/*\n*';

export interface RipgrepRun {
  readonly args: readonly string[];
  readonly folder?: string;
  readonly input?: string | Uint8Array;
  /** Terminator of each part of the output. */
  readonly end: string;
  readonly onPart: (part: string) => boolean;
}

/** Runs ripgrep, and reads the disk that it searches. */
export interface RipgrepProgram {
  /** Separator of paths of the system. */
  readonly separator: '/' | '\\';
  /**
   * Kills ripgrep when the signal aborts. Resolves with ripgrep's message about the query if it
   * could not search, otherwise with an empty text.
   */
  run(run: RipgrepRun, signal: AbortSignal): Promise<string>;
  /** The text of a file that was searched; undefined if it cannot be read or is too large. */
  read(folder: string, path: string): Promise<string | undefined>;
}

/** Searches with the ripgrep that comes with VS Code. */
export class Ripgrep implements FileSearch {
  readonly #program: RipgrepProgram;
  readonly #toPath: (location: Location) => string;

  /** @param toPath converts a location to a path of the system */
  constructor(program: RipgrepProgram, toPath: (location: Location) => string) {
    this.#program = program;
    this.#toPath = toPath;
  }

  async files(
    scope: SearchScope,
    onFile: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const isWanted = wantedBy(scope);
    const onPart = (part: string): boolean => {
      const path = withoutDot(part, this.#program.separator);
      return !isWanted(path) || onFile(path);
    };
    const folder = this.#toPath(scope.root);
    await this.#run({ args: listArguments(scope), folder, end: '\0', onPart }, signal);
  }

  async lines(
    scope: SearchScope,
    query: TextQuery,
    onLine: (line: FoundLine) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const isWanted = wantedBy(scope);
    const { separator } = this.#program;
    const folder = this.#toPath(scope.root);
    const lines = new MaskedLines(query, onLine);
    const onPart = (written: string): boolean => {
      const line = readFoundLine(written);
      if (line === undefined) return true;
      const path = withoutDot(line.path, separator);
      return !isWanted(path) || lines.add(separator === '/' ? line : { ...line, path });
    };
    await this.#run({ args: searchArguments(scope, query), folder, end: '\n', onPart }, signal);
    await lines.finish(
      (path) => this.#program.read(folder, path),
      async (texts) => {
        const matching = new Set<number>();
        const args = inputArguments({ ...query, context: 0 });
        const onMatch = (written: string): boolean => {
          const line = readFoundLine(written);
          if (line?.fits === true) matching.add(line.line - 1);
          return true;
        };
        const input = withoutSecrets(texts);
        await this.#run({ args, input, end: '\n', onPart: onMatch }, signal);
        return matching;
      },
    );
  }

  async linesOf(
    path: string,
    text: string,
    query: TextQuery,
    signal: AbortSignal,
  ): Promise<readonly FoundLine[]> {
    const lines: FoundLine[] = [];
    const onPart = (written: string): boolean => {
      const line = readFoundLine(written);
      if (line !== undefined) lines.push({ ...line, path });
      return true;
    };
    await this.#run({ args: inputArguments(query), input: text, end: '\n', onPart }, signal);
    return lines;
  }

  async #run(run: RipgrepRun, signal: AbortSignal): Promise<void> {
    const problem = await this.#program.run(run, signal);
    if (problem !== '') throw new ToolError(truncateText(problem, 1000));
  }
}

/** Tests paths; consecutive lines of one file need only one test. */
function wantedBy({ include, leftOut }: SearchScope): PathTest {
  const byName = include.every((glob) => !glob.includes('/'));
  const isIncluded = byName ? () => true : compileGlobs(include);
  let last = { path: '', fits: false };
  return (path) => {
    if (path !== last.path) last = { path, fits: isIncluded(path) && !leftOut.has(path) };
    return last.fits;
  };
}

/** Joins texts, with bytes for their secrets that no character class matches: they are not UTF-8. */
function withoutSecrets(texts: readonly string[]): Uint8Array {
  const text = texts.join('\n');
  const bytes = new TextEncoder().encode(text);
  const { length } = new TextEncoder().encode(secretStandIn);
  let at = 0;
  for (const part of text.split(secretStandIn).slice(0, -1)) {
    at += new TextEncoder().encode(part).length;
    bytes.fill(0xff, at, (at += length));
  }
  return bytes;
}

/** The arguments that list the files of a scope, relative to its root. */
export function listArguments(scope: SearchScope): readonly string[] {
  return [...always, '--files', '--null', ...scopeArguments(scope)];
}

/** The arguments that search a scope: `path NUL line : text`, with `-` for a line of context. */
export function searchArguments(scope: SearchScope, query: TextQuery): readonly string[] {
  const order = query.isOrdered === true ? ['--sort=path'] : [];
  return [...always, ...order, ...queryArguments(query), unreadable, ...scopeArguments(scope)];
}

/** The arguments that search the standard input. */
export function inputArguments(query: TextQuery): readonly string[] {
  return [...always, ...queryArguments(query), '--', '-'];
}

function queryArguments({ text, isRegex, context }: TextQuery): readonly string[] {
  return [
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--null',
    '--smart-case',
    '--crlf',
    `--max-columns=${maxReadLineLength}`,
    '--max-columns-preview',
    `--context=${context}`,
    ...(isRegex ? [] : ['--fixed-strings']),
    `--regexp=${text}`,
  ];
}

function scopeArguments({ start, include, exclude, leftOut }: SearchScope): readonly string[] {
  const names = include.map((glob) => lastSegment(glob));
  // The last segment of a glob must match names, and not be inside braces.
  const areNames = names.every((name) => {
    const isBalanced = name.split('{').length === name.split('}').length;
    return name !== '' && name !== '**' && !name.includes(':') && isBalanced;
  });
  const types = names.map((name) => `--type-add=${kind}:${name}`);
  return [
    ...(names.length > 0 && areNames ? [...types, `--type=${kind}`] : []),
    ...exclude.map((glob) => `--glob=!${glob}`),
    ...leftOut.globs.map((glob) => `--iglob=!${glob}`),
    '--',
    start === '' ? './' : `./${start}`,
  ];
}

/** Parses a line of the output for `searchArguments`; undefined for a separator or a message. */
export function readFoundLine(written: string): FoundLine | undefined {
  const end = written.indexOf('\0');
  if (end < 0) return undefined;
  let position = end + 1;
  while (/\d/.test(written.charAt(position))) position++;
  const mark = written.charAt(position);
  if (position === end + 1 || (mark !== ':' && mark !== '-')) return undefined;
  const text = written.slice(position + 1);
  return {
    path: withoutDot(written.slice(0, end)),
    line: Number(written.slice(end + 1, position)),
    text: text.endsWith('\r') ? text.slice(0, -1) : text,
    fits: mark === ':',
  };
}

/** Removes `./` from a path of ripgrep and uses `/` as separator. */
export function withoutDot(path: string, separator: '/' | '\\' = '/'): string {
  const plain = separator === '/' ? path : path.replaceAll(separator, '/');
  return plain.startsWith('./') ? plain.slice(2) : plain;
}

/** Maximum number of lines that are held back until their files are read. */
const maxHeld = 10_000;

/** A line with its secrets masked, and the text to search again if it has any. */
interface ShownLine {
  readonly line: FoundLine;
  readonly searched?: string;
}

/**
 * Masks secrets in the lines that a search matched in files. A line counts as a match only if it
 * also matches without its secrets: otherwise an expression could reveal them, character by character
 * (threats: T44).
 */
export class MaskedLines {
  readonly #query: TextQuery;
  readonly #onLine: (line: FoundLine) => boolean;
  readonly #held: FoundLine[][] = [];
  #heldCount = 0;
  /** A match with its context lines, or several matches whose context lines meet. */
  #group: FoundLine[] = [];
  #isDoubtful = false;

  /** @param onLine receives the lines with secrets masked; returns false to end the search */
  constructor(query: TextQuery, onLine: (line: FoundLine) => boolean) {
    this.#query = query;
    this.#onLine = onLine;
  }

  /** Adds a line of the search; those of a file are together. Returns false to end the search. */
  add(line: FoundLine): boolean {
    const last = this.#group.at(-1);
    const isNext = last?.path === line.path && last.line + 1 === line.line;
    const goesOn = (isNext && this.#query.context > 0) || this.#endGroup();
    this.#group.push(line);
    this.#isDoubtful ||= mayBeCut(line.text) || looksSecret(line.text);
    return goesOn;
  }

  /**
   * Passes on the lines that are still held back.
   *
   * @param textOf the whole text of a file; undefined if it cannot be read or is too long
   * @param rematch the indexes of the lines that the query matches, in which nothing matches
   *   `secretStandIn`
   */
  async finish(
    textOf: (path: string) => Promise<string | undefined>,
    rematch: (lines: readonly string[]) => Promise<ReadonlySet<number>>,
  ): Promise<void> {
    if (!this.#endGroup()) return;
    /** Each file is read once, however many of its lines may hold secrets. */
    const files = new Map<string, Promise<FileLines | undefined>>();
    const read = async (path: string): Promise<FileLines | undefined> => {
      const text = await textOf(path);
      if (text === undefined) return undefined;
      return { plain: text.split('\n'), masked: maskSecrets(text).text.split('\n') };
    };
    const groups = await Promise.all(
      this.#held.map(async (lines) => {
        const path = lines[0]?.path ?? '';
        const reading = files.get(path) ?? read(path);
        files.set(path, reading);
        const file = await reading;
        return lines.map((line) => shownLine(line, file));
      }),
    );
    const doubtful = groups.flat().filter((line) => line.searched !== undefined);
    const { context, isRegex, text } = this.#query;
    const isCertain = doubtful.length > 0 && !(isRegex && looksAround.test(text));
    const matching = isCertain
      ? await rematch(doubtful.map(({ searched = '' }) => searched))
      : new Set<number>();
    const isFound = new Set(doubtful.filter((_, index) => matching.has(index)));
    for (const group of groups) {
      const lines = group.map((shown) => {
        const { line, searched } = shown;
        return searched === undefined ? line : { ...line, fits: line.fits && isFound.has(shown) };
      });
      const matches = lines.filter(({ fits }) => fits).map(({ line }) => line);
      for (const line of lines) {
        const isNear = matches.some((match) => Math.abs(match - line.line) <= context);
        if (isNear && !this.#onLine(line)) return;
      }
    }
  }

  /** Passes the lines of a group on, or holds them back. */
  #endGroup(): boolean {
    const lines = this.#group;
    this.#group = [];
    if (!this.#isDoubtful) return lines.every((line) => this.#onLine(line));
    this.#isDoubtful = false;
    this.#held.push(lines);
    this.#heldCount += lines.length;
    return this.#heldCount < maxHeld;
  }
}

/** The lines of a file, plain and with secrets masked. */
interface FileLines {
  readonly plain: readonly string[];
  readonly masked: readonly string[];
}

/** @param file undefined if it cannot be read as a whole: a text that may be secret is withheld */
function shownLine(line: FoundLine, file: FileLines | undefined): ShownLine {
  if (file === undefined) {
    if (looksSecret(line.text)) return { line: { ...line, text: '' }, searched: '' };
    return mayBeCut(line.text) ? { line, searched: line.text.slice(0, surelyWhole) } : { line };
  }
  const masked = file.masked[line.line - 1] ?? '';
  if (file.plain[line.line - 1] === masked) return { line };
  const text = masked.replace(/\r$/, '');
  return { line: { ...line, text }, searched: withStandIns(text) };
}

/** Expressions that depend on characters which they do not match, or that match bytes. */
const looksAround = /\\[bB<>Az]|\(\?[a-zA-Z]*-/;

/** Number of characters that ripgrep never cuts off, although it counts bytes. */
const surelyWhole = maxReadLineLength / 4;

/** True if the search may have matched more of the line than it passed on. */
function mayBeCut(text: string): boolean {
  return text.length > surelyWhole;
}

/**
 * The beginning of a line that is a secret if the line before ends with its name, as in a long
 * string that a formatter moved to the next line.
 */
const valueAtStart =
  /^[\s:="'`]{0,8}(?:(?:[A-Za-z]{3,10} |base64:)?(?:(?=[^\d\s"']{0,200}\d)[\w+/.~=-]{16,}|[\w+/-]{40,})|(?:[Pp]assword|[Pp]wd)=)/;

/** A run that every line of a private key has, and hardly any other line. */
const keyRun = /[A-Za-z0-9+/]{48}/;

function looksSecret(text: string): boolean {
  if (looksLikeKeyLine(text) || valueAtStart.test(text) || keyRun.test(text)) return true;
  return findSecretToken(text) !== undefined;
}
