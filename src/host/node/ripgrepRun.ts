import { spawn, type ChildProcess } from 'node:child_process';
import { text as readAll } from 'node:stream/consumers';
import { truncateText } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';

/** One run of ripgrep. */
export interface RipgrepRun {
  /** The arguments. */
  readonly given: readonly string[];
  readonly folder?: string;
  readonly input?: string | Uint8Array;
  /** The end of each part of the output. */
  readonly end: string;
  readonly onPart: (part: string) => boolean;
}

/** Kills ripgrep when the signal aborts. */
export async function runRipgrep(
  program: string,
  { given, folder, input, end, onPart }: RipgrepRun,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(program, given, {
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
  // It may end before it has read everything; its exit code is enough to know.
  child.stdin.on('error', () => undefined).end(input ?? '');
  const [code, message] = await Promise.all([exitOf(child), readAll(child.stderr)]);
  signal.throwIfAborted();
  // Code 2 also means that a file could not be read, but then there is no message.
  if (code === 2 && message.trim() !== '') throw new ToolError(truncateText(message.trim(), 1000));
  if (code !== null) reader.finish();
}

/** Resolves with the exit code; null where it was killed. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
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

  /** Returns false where `onPart` stopped the reading. */
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

  /** Passes on the text after the last end. */
  finish(): void {
    if (this.#open !== '') this.#onPart(this.#open);
    this.#open = '';
  }
}
