import type { RunningProcess } from '../conversation/conversation.ts';
import { abortError } from '../support/async.ts';
import { markHandled } from '../support/background.ts';
import type { Clock } from '../support/clock.ts';
import { ToolError } from '../support/toolError.ts';
import type { ToolContext } from './tool.ts';
import { maxResultLength } from './toolbox.ts';
import { BoundedTerminalText } from './commandOutput.ts';
import { leftRunningText } from './processTree.ts';

/** Milliseconds to wait for the first output of a background command. */
export const backgroundWait = 5000;
/** Milliseconds that a command has to exit after Ctrl+C. */
export const interruptGrace = 1500;

/** Maximum number of characters that the card shows; the terminal has the complete output. */
const maxPrintedLength = 64 * 1024;
/**
 * Maximum number of characters of the start and of the end in a result, so that the result is not
 * truncated.
 */
const maxHeadLength = 14_000;
const maxTailLength = maxResultLength - maxHeadLength - 1000;

/** A command that runs in a terminal. */
export interface RunningCommand {
  /** The raw terminal output, which ends with the command. */
  readonly output: AsyncIterable<string>;
  readonly ended: Promise<CommandEnd>;
  /** Sends Ctrl+C. */
  readonly interrupt: () => void;
  /** Kills the command, all processes that it started, and its terminal. */
  readonly kill: () => Promise<void>;
  /** After its end: the processes that it started and that still run. */
  readonly leftRunning: () => Promise<readonly RunningProcess[]>;
}

/** The end of a command. The exit code may be unknown. */
export type CommandEnd =
  | { readonly type: 'exit'; readonly code: number | undefined }
  | { readonly type: 'closed' };

interface Following {
  readonly clock: Clock;
  readonly context: Pick<ToolContext, 'signal' | 'print'>;
  /** True to leave it running after its first output. */
  readonly background: boolean;
  /** Time limit in milliseconds; undefined if only the person ends it. */
  readonly limit: number | undefined;
  /** Tells the person what the command left running. */
  readonly onLeftRunning: (processes: readonly RunningProcess[]) => void;
}

/**
 * Waits until a command ends, is stopped or may be left in the background, and shows its output.
 * Resolves with the result for the model.
 *
 * @throws {ToolError} if it did not end by itself; when the signal aborts, with its reason, once
 *   the command was ended
 */
export async function followCommand(
  command: RunningCommand,
  { clock, context, background, limit, onLeftRunning }: Following,
): Promise<string> {
  const { signal } = context;
  const start = clock.monotonic();
  const output = new CommandOutput((text) => {
    if (!signal.aborted) context.print(text);
  });
  const collected = output.collect(command.output);
  // Not awaited after Stop.
  markHandled(collected);
  /** Tells the person what still runs, and returns the sentence for the model. */
  const tellLeftRunning = async (): Promise<string> => {
    const processes = await command.leftRunning();
    if (processes.length === 0) return '';
    onLeftRunning(processes);
    return ` ${leftRunningText(processes)}`;
  };
  try {
    const end = await firstOf(command, signal, clock, background ? backgroundWait : limit);
    if (end === 'stopped') {
      await stop(command, clock);
      await tellLeftRunning();
      throw abortError(signal);
    }
    if (end === 'timeout' && background) {
      return output.after(
        'It is still running in the terminal “Aside”, where the person sees its output. To read more yourself, run a command that writes its output to a file.',
      );
    }
    if (end === 'timeout') await stop(command, clock);
    await collected;
    const seconds = `${((clock.monotonic() - start) / 1000).toFixed(1)} s.`;
    const left = await tellLeftRunning();
    if (end === 'timeout')
      throw new ToolError(output.after(`Stopped by its time limit, after ${seconds}${left}`));
    if (end.type === 'closed') throw new ToolError(output.after('Its terminal was closed.'));
    const exit = end.code === undefined ? 'Ended, exit code unknown' : `Exit code ${end.code}`;
    return output.after(`${exit}, after ${seconds}${left}`);
  } finally {
    output.close();
  }
}

/**
 * Waits for the first of these: the command ends, the time limit is reached, or Stop is pressed.
 */
async function firstOf(
  { ended }: RunningCommand,
  signal: AbortSignal,
  clock: Clock,
  limit: number | undefined,
): Promise<CommandEnd | 'timeout' | 'stopped'> {
  let cleanUp = (): void => undefined;
  const interruption = new Promise<'timeout' | 'stopped'>((resolve) => {
    const stopped = (): void => resolve('stopped');
    signal.addEventListener('abort', stopped, { once: true });
    if (signal.aborted) stopped();
    const timer = limit === undefined ? undefined : clock.after(limit, () => resolve('timeout'));
    cleanUp = () => {
      timer?.dispose();
      signal.removeEventListener('abort', stopped);
    };
  });
  return Promise.race([ended, interruption]).finally(cleanUp);
}

/** Sends Ctrl+C, and kills the command if it does not exit in time. */
async function stop({ ended, interrupt, kill }: RunningCommand, clock: Clock): Promise<void> {
  interrupt();
  const isLate = await new Promise<boolean>((resolve) => {
    const timer = clock.after(interruptGrace, () => resolve(true));
    markHandled(
      ended.finally(() => {
        timer.dispose();
        resolve(false);
      }),
    );
  });
  if (isLate) await kill();
}

/** Collects the output of a command for the card and for the model. */
class CommandOutput {
  readonly #print: (text: string) => void;
  readonly #output: BoundedTerminalText;
  #passed = '';
  #remaining = maxPrintedLength;
  #isClosed = false;

  /** @param print appends to the card, which gets each row once: the result has its last state */
  constructor(print: (text: string) => void) {
    this.#print = print;
    this.#output = new BoundedTerminalText(maxHeadLength, maxTailLength, (text) => {
      if (this.#passed.length < this.#remaining) this.#passed += text;
    });
  }

  /** A sentence with the output so far, as plain text that fits into a result. */
  after(sentence: string): string {
    const { text } = this.#output;
    return text.trim() === '' ? `${sentence} It printed nothing.` : `${sentence}\n${text}`;
  }

  async collect(output: AsyncIterable<string>): Promise<void> {
    // Continues to read after `close`, since unread output would accumulate.
    for await (const chunk of output) {
      if (this.#isClosed) continue;
      this.#output.read(chunk);
      this.#printPassed();
    }
    if (this.#isClosed) return;
    this.#output.end();
    this.#printPassed();
  }

  close(): void {
    this.#isClosed = true;
  }

  #printPassed(): void {
    const printed = this.#passed.slice(0, this.#remaining);
    this.#passed = '';
    if (printed === '') return;
    this.#remaining -= printed.length;
    this.#print(this.#remaining > 0 ? printed : `${printed}\n…\n`);
  }
}
