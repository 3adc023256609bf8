import { spawn, type ChildProcess } from 'node:child_process';
import { sep } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { cutText } from '../../core/support/cutText.ts';
import type { FileSearch, FoundLine, SearchScope, TextQuery } from '../../core/tools/fileSearch.ts';
import { compileGlobs, type PathTest } from '../../core/tools/globs.ts';
import type { Location } from '../../core/tools/target.ts';
import { ToolError } from '../../core/tools/tool.ts';
import { inputArguments, listArguments, searchArguments } from './ripgrepArguments.ts';
import { PartReader, readFoundLine, withoutDot } from './ripgrepOutput.ts';

export interface RipgrepOptions {
  /** The program: an absolute path, so that nothing of a workspace is run in its place. */
  readonly program: string;
  /** The path of a location, as the system writes it. */
  readonly toPath: (location: Location) => string;
}

interface Run {
  readonly given: readonly string[];
  readonly folder?: string;
  readonly input?: string;
  /** What one part of the output ends with. */
  readonly end: string;
  readonly take: (part: string) => boolean;
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
    const take = (part: string): boolean => {
      const path = withSlashes(part);
      return !isWanted(path) || found(path);
    };
    const folder = this.#options.toPath(scope.root);
    await this.#run({ given: listArguments(scope), folder, end: '\0', take }, signal);
  }

  async lines(
    scope: SearchScope,
    query: TextQuery,
    found: (line: FoundLine) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const isWanted = wantedBy(scope);
    const take = (written: string): boolean => {
      const line = readFoundLine(written);
      if (line === undefined) return true;
      const path = withSlashes(line.path);
      return !isWanted(path) || found(sep === '/' ? line : { ...line, path });
    };
    const folder = this.#options.toPath(scope.root);
    await this.#run({ given: searchArguments(scope, query), folder, end: '\n', take }, signal);
  }

  async linesOf(
    path: string,
    text: string,
    query: TextQuery,
    signal: AbortSignal,
  ): Promise<readonly FoundLine[]> {
    const lines: FoundLine[] = [];
    const take = (written: string): boolean => {
      const line = readFoundLine(written);
      if (line !== undefined) lines.push({ ...line, path });
      return true;
    };
    await this.#run({ given: inputArguments(query), input: text, end: '\n', take }, signal);
    return lines;
  }

  /** Ends at the latest when the signal aborts, and ripgrep with it. */
  async #run({ given, folder, input, end, take }: Run, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const child = spawn(this.#options.program, given, {
      cwd: folder,
      shell: false,
      windowsHide: true,
      // Nothing of ours goes to it; Windows starts no program without this.
      env: { SystemRoot: process.env['SystemRoot'] },
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    const reader = new PartReader(end, take);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (reader.read(text)) return;
      child.stdout.removeAllListeners('data').destroy();
      child.kill('SIGKILL');
    });
    // It may end before it has read everything, which its exit tells well enough.
    child.stdin.on('error', () => undefined).end(input ?? '');
    const [code, words] = await Promise.all([exitOf(child), readAll(child.stderr)]);
    signal.throwIfAborted();
    // 2 also says that some file could not be read, but then without words.
    if (code === 2 && words.trim() !== '') throw new ToolError(cutText(words.trim(), 1000));
    if (code !== null) reader.finish();
  }
}

/** Tests paths; the lines of a file, which come together, cost one test. */
function wantedBy({ include }: SearchScope): PathTest {
  if (include.every((glob) => !glob.includes('/'))) return () => true;
  const test = compileGlobs(include);
  let last = { path: '', fits: false };
  return (path) => {
    if (path !== last.path) last = { path, fits: test(path) };
    return last.fits;
  };
}

/** Resolves with the exit code; null where it was killed. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
}

function withSlashes(path: string): string {
  return withoutDot(path, sep);
}
