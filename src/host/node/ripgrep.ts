import { join, sep } from 'node:path';
import { MaskedLines } from '../../core/search/maskedLines.ts';
import {
  maxReadLineLength,
  type FileSearch,
  type FoundLine,
  type SearchScope,
  type TextQuery,
} from '../../core/search/fileSearch.ts';
import { compileGlobs, type PathTest } from '../../core/search/globs.ts';
import { secretStandIn } from '../../core/support/secretTokens.ts';
import type { Location } from '../../core/workspace/places.ts';
import { runRipgrep, type RipgrepRun } from './ripgrepRun.ts';
import { readSearchedFile } from './searchedFile.ts';

/**
 * The name of a file type of ripgrep for the included names. Unlike `--glob`, a type does not include
 * ignored files; but it matches names only, so paths are tested afterwards.
 */
const kind = 'aside';

/** Ignores the configuration of the machine, includes hidden files, obeys `.gitignore` without Git. */
const always = ['--no-config', '--no-messages', '--hidden', '--no-require-git', '--color=never'];

/**
 * Leaves out paths with a line end in them: in lines of output, what follows it would pass for the
 * path of another file (threats: T34).
 */
const unreadable = '--glob=!**/*\n*';

interface RipgrepOptions {
  /** The absolute path of the program, so that no file of a workspace can run in its place. */
  readonly program: string;
  /** Converts a location to a path of the system. */
  readonly toPath: (location: Location) => string;
}

/** Searches with the ripgrep that comes with VS Code. */
export class Ripgrep implements FileSearch {
  readonly #options: RipgrepOptions;

  constructor(options: RipgrepOptions) {
    this.#options = options;
  }

  async files(
    scope: SearchScope,
    found: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const isWanted = wantedBy(scope);
    const onPart = (part: string): boolean => {
      const path = withSlashes(part);
      return !isWanted(path) || found(path);
    };
    const folder = this.#options.toPath(scope.root);
    await this.#run({ given: listArguments(scope), folder, end: '\0', onPart }, signal);
  }

  async lines(
    scope: SearchScope,
    query: TextQuery,
    found: (line: FoundLine) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const isWanted = wantedBy(scope);
    const folder = this.#options.toPath(scope.root);
    const lines = new MaskedLines({
      query,
      found,
      textOf: (path) => readSearchedFile(join(folder, path)),
      rematch: (texts) => this.#matching(texts, query, signal),
    });
    const onPart = (written: string): boolean => {
      const line = readFoundLine(written);
      if (line === undefined) return true;
      const path = withSlashes(line.path);
      return !isWanted(path) || lines.add(sep === '/' ? line : { ...line, path });
    };
    await this.#run({ given: searchArguments(scope, query), folder, end: '\n', onPart }, signal);
    await lines.finish();
  }

  /** The indexes of the lines that match, where nothing can match a secret. */
  async #matching(
    texts: readonly string[],
    query: TextQuery,
    signal: AbortSignal,
  ): Promise<ReadonlySet<number>> {
    const matching = new Set<number>();
    const onPart = (written: string): boolean => {
      const line = readFoundLine(written);
      if (line?.fits === true) matching.add(line.line - 1);
      return true;
    };
    const given = inputArguments({ ...query, context: 0 });
    await this.#run({ given, input: withoutSecrets(texts), end: '\n', onPart }, signal);
    return matching;
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
    await this.#run({ given: inputArguments(query), input: text, end: '\n', onPart }, signal);
    return lines;
  }

  #run(run: RipgrepRun, signal: AbortSignal): Promise<void> {
    return runRipgrep(this.#options.program, run, signal);
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

/** No character class matches bytes that are not UTF-8. */
function withoutSecrets(texts: readonly string[]): Uint8Array {
  const bytes = Buffer.from(texts.join('\n'));
  const mark = Buffer.from(secretStandIn);
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at)) {
    bytes.fill(0xff, at, at + mark.length);
  }
  return bytes;
}

function withSlashes(path: string): string {
  return withoutDot(path, sep);
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
  return [
    ...includeArguments(include),
    ...exclude.map((glob) => `--glob=!${glob}`),
    ...leftOut.globs.map((glob) => `--iglob=!${glob}`),
    '--',
    start === '' ? './' : `./${start}`,
  ];
}

function includeArguments(include: readonly string[]): readonly string[] {
  const names = include.map((glob) => glob.slice(glob.lastIndexOf('/') + 1));
  if (names.length === 0 || !names.every(isAboutNames)) return [];
  return [...names.map((name) => `--type-add=${kind}:${name}`), `--type=${kind}`];
}

/** Whether the last segment of a glob matches names, and is not inside braces. */
function isAboutNames(end: string): boolean {
  const opened = end.split('{').length;
  return end !== '' && end !== '**' && !end.includes(':') && opened === end.split('}').length;
}

/** Parses a line of the output for `searchArguments`; undefined for a separator or a message. */
export function readFoundLine(written: string): FoundLine | undefined {
  const end = written.indexOf('\0');
  if (end < 0) return undefined;
  let position = end + 1;
  while (isDigit(written.charCodeAt(position))) position++;
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

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
