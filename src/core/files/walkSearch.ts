import { sleep } from '../support/async.ts';
import { systemClock } from '../support/clock.ts';
import { maskSecrets, withStandIns } from '../support/secretTokens.ts';
import { truncateText } from '../support/text.ts';
import { ToolError } from '../support/toolError.ts';
import { splitLines } from './fileText.ts';
import type { Location } from './places.ts';
import {
  maxFoundLineLength,
  type FileSearch,
  type FoundLine,
  type SearchScope,
  type TextQuery,
} from './fileSearch.ts';
import { compileGlobs, type PathTest } from './globs.ts';
import { IgnoreRules, isIgnored } from './ignoreRules.ts';

/** Number of files that are read in parallel. */
const batchSize = 16;

/** Number of entries of a folder between pauses, so that the window and Stop respond. */
const entriesPerPause = 2000;

/** Maximum number of characters of a line that are searched. */
const maxSearchedLength = 1000;

/** A regular expression that is a plain text, or whole words. */
const plainExpression = /^(?:\\b)?(?:[^\\^$.*+?()[\]{}|]|\\[^\w\s])*(?:\\b)?$/;

/** An entry of a folder. Links are `other`: they are not followed. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
}

/** Reads the file system below a root. */
export interface FolderReader {
  /** The entries of a folder; empty if it cannot be read or is a file. Paths are relative. */
  entries(path: string): Promise<readonly FolderEntry[]>;
  kind(path: string): Promise<FolderEntry['kind'] | undefined>;
  /** The text of a file; undefined if it is binary, too large, or missing. */
  text(path: string): Promise<string | undefined>;
}

/** Searches by walking the folders, for environments without ripgrep. */
export class WalkSearch implements FileSearch {
  readonly #open: (root: Location) => FolderReader;

  constructor(open: (root: Location) => FolderReader) {
    this.#open = open;
  }

  async files(
    scope: SearchScope,
    onFile: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    for await (const path of this.#walk(scope, signal)) if (!onFile(path)) return;
  }

  async lines(
    scope: SearchScope,
    query: TextQuery,
    onLine: (line: FoundLine) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    // Throws for an invalid query before reading files.
    const isMatch = matcherOf(query);
    const reader = this.#open(scope.root);
    for await (const paths of batches(this.#walk(scope, signal))) {
      const texts = await Promise.all(paths.map((path) => reader.text(path)));
      signal.throwIfAborted();
      for (const [index, path] of paths.entries()) {
        const lines = linesIn(path, texts[index] ?? '', query.context, isMatch);
        if (!lines.every((line) => onLine(line))) return;
      }
    }
  }

  async linesOf(path: string, text: string, query: TextQuery): Promise<readonly FoundLine[]> {
    return Promise.resolve(findLines(path, text, query));
  }

  async *#walk(scope: SearchScope, signal: AbortSignal): AsyncGenerator<string, void> {
    const { root, start, include, exclude, leftOut } = scope;
    const reader = this.#open(root);
    const isIncluded: PathTest = include.length === 0 ? () => true : compileGlobs(include);
    // The folders above the start have rules for what is in it.
    const names = start.split('/').slice(0, -1);
    const above =
      start === '' ? [] : ['', ...names.map((_, at) => names.slice(0, at + 1).join('/'))];
    const rulesAbove = await Promise.all(above.map((folder) => rulesOf(reader, folder)));
    if ((await reader.kind(start)) === 'file') {
      if (isIncluded(start) && !leftOut.has(start)) yield start;
      return;
    }
    const isExcluded = compileGlobs(exclude);
    const walk = async function* (
      folder: string,
      outer: readonly IgnoreRules[],
    ): AsyncGenerator<string, void> {
      const entries = await reader.entries(folder);
      signal.throwIfAborted();
      const hasRules = entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file');
      const rules = hasRules ? [...outer, await rulesOf(reader, folder)] : outer;
      for (const [index, { name, kind }] of entries.entries()) {
        if (index % entriesPerPause === entriesPerPause - 1) await sleep(systemClock, 0, signal);
        const path = folder === '' ? name : `${folder}/${name}`;
        if (isExcluded(path) || leftOut.has(path)) continue;
        if (isIgnored(rules, path, kind === 'folder')) continue;
        if (kind === 'file' && isIncluded(path)) yield path;
        if (kind === 'folder') yield* walk(path, rules);
      }
    };
    yield* walk(start, rulesAbove);
  }
}

async function rulesOf(reader: FolderReader, folder: string): Promise<IgnoreRules> {
  const path = folder === '' ? '.gitignore' : `${folder}/.gitignore`;
  return new IgnoreRules((await reader.text(path)) ?? '', folder);
}

async function* batches(paths: AsyncIterable<string>): AsyncGenerator<readonly string[], void> {
  let batch: string[] = [];
  for await (const path of paths) {
    batch.push(path);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/**
 * The lines of a text that match the query, with their context lines, for environments without
 * ripgrep. Secrets are masked, and do not affect whether a line matches (threats: T44).
 *
 * @throws {ToolError} for an expression that is neither plain text nor whole words
 */
export function findLines(path: string, text: string, query: TextQuery): readonly FoundLine[] {
  return linesIn(path, text, query.context, matcherOf(query));
}

type LineTest = (line: string) => boolean;

function linesIn(
  path: string,
  text: string,
  context: number,
  isMatch: LineTest,
): readonly FoundLine[] {
  const lines = splitLines(maskSecrets(text).text);
  const included = new Map<number, boolean>();
  for (const [index, line] of lines.entries()) {
    if (!isMatch(withStandIns(line).slice(0, maxSearchedLength))) continue;
    const first = Math.max(0, index - context);
    const last = Math.min(lines.length - 1, index + context);
    for (let near = first; near <= last; near++) included.set(near, included.get(near) ?? false);
    included.set(index, true);
  }
  return [...included].map(([index, isFitting]) => ({
    path,
    line: index + 1,
    text: truncateText(lines[index] ?? '', maxFoundLineLength),
    fits: isFitting,
  }));
}

/** Rejects expressions that could take forever here; ripgrep accepts them all. */
function matcherOf({ text, isRegex }: TextQuery): LineTest {
  const anyCase = text === text.toLowerCase();
  if (!isRegex) return (line) => (anyCase ? line.toLowerCase() : line).includes(text);
  if (!plainExpression.test(text))
    throw new ToolError(
      'Only folders on disk can be searched for expressions. Search this one for a text, or for whole words: \\bword\\b.',
    );
  const words = new RegExp(text, anyCase ? 'i' : '');
  return (line) => words.test(line);
}
