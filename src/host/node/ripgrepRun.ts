import { spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { RipgrepProgram, RipgrepRun } from '../../core/files/ripgrep.ts';
import { markedEncoding } from '../../core/files/fileText.ts';
import { firstRunnable, readOnly } from './diskFiles.ts';

/**
 * The absolute path of VS Code's ripgrep; undefined if there is none that can run. No other
 * location is searched, since a program with that name could be anything.
 *
 * @param appRoot `vscode.env.appRoot`
 */
export async function findRipgrep(
  appRoot: string,
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<string | undefined> {
  if (!isAbsolute(appRoot)) return undefined;
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  const universal = `@vscode/ripgrep-universal/bin/${platform}-${architecture}/${name}`;
  // Different versions of VS Code have it in different places.
  const paths = ['node_modules', 'node_modules.asar.unpacked'].flatMap((folder) =>
    [universal, `@vscode/ripgrep/bin/${name}`].map((path) => join(appRoot, folder, path)),
  );
  return firstRunnable(paths);
}

/** @param program the absolute path, so that no file of a workspace can run in its place */
export function ripgrepAt(program: string): RipgrepProgram {
  return {
    separator: sep,
    run: (run, signal) => runRipgrep(program, run, signal),
    read: (folder, path) => readSearchedFile(join(folder, path)),
  };
}

async function runRipgrep(
  program: string,
  { args, folder, input, end, onPart }: RipgrepRun,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd: folder,
    shell: false,
    windowsHide: true,
    // No other variables are passed on; Windows starts no program without this one.
    env: { SystemRoot: process.env['SystemRoot'] },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const reader = new DelimitedReader(end, onPart);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (reader.read(text)) return;
    child.stdout.removeAllListeners('data').destroy();
    child.kill('SIGKILL');
  });
  // Ripgrep may end before it has read its whole input. The exit code reports errors.
  child.stdin.on('error', () => undefined).end(input ?? '');
  const [code, message] = await Promise.all([
    new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    }),
    readAll(child.stderr),
  ]);
  signal.throwIfAborted();
  // Code 2 also means that a file could not be read, but then there is no message.
  if (code === 2 && message.trim() !== '') return message.trim();
  if (code !== null) reader.finish();
  return '';
}

/**
 * Splits chunks of text into parts that end with `end`. A part of more than a million characters is
 * dropped: no path is that long, and ripgrep shortens lines.
 */
export class DelimitedReader {
  readonly #end: string;
  readonly #onPart: (part: string) => boolean;
  #open = '';

  /** @param onPart returns false to stop reading */
  constructor(end: string, onPart: (part: string) => boolean) {
    this.#end = end;
    this.#onPart = onPart;
  }

  /** Returns false if `onPart` stopped the reading. */
  read(text: string): boolean {
    const all = this.#open + text;
    let start = 0;
    for (let end = all.indexOf(this.#end); end >= 0; end = all.indexOf(this.#end, start)) {
      if (!this.#onPart(all.slice(start, end))) return false;
      start = end + this.#end.length;
    }
    this.#open = all.length - start > 1_000_000 ? '' : all.slice(start);
    return true;
  }

  /** Passes on the text after the last `end`. */
  finish(): void {
    if (this.#open !== '') this.#onPart(this.#open);
    this.#open = '';
  }
}

/** Maximum number of bytes of a file that is read whole. */
const maxBytes = 5_000_000;

/** The text of a searched file; undefined if it can't be read or is too large. */
async function readSearchedFile(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, readOnly);
    const status = await file.stat();
    if (!status.isFile() || status.size > maxBytes) return undefined;
    const bytes = await file.readFile();
    return new TextDecoder(markedEncoding(bytes)).decode(bytes);
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
