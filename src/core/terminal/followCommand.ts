import { abortError } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import { ToolError } from '../support/toolError.ts';
import type { ToolContext } from '../tools/tool.ts';
import { CommandOutput } from './commandOutput.ts';

/** A command that was started in a terminal. */
export interface RunningCommand {
  /** What the terminal is sent. Ends with the command. */
  readonly output: AsyncIterable<string>;
  readonly ended: Promise<CommandEnd>;
  /** Presses Ctrl+C. */
  readonly interrupt: () => void;
  /** Ends it by force, with all that it started and with its terminal. */
  readonly kill: () => Promise<void>;
}

/** How a command ended. The shell does not always know its exit code. */
export type CommandEnd =
  { readonly type: 'exit'; readonly code: number | undefined } | { readonly type: 'closed' };

interface FollowOptions {
  readonly clock: Clock;
  readonly context: Pick<ToolContext, 'signal' | 'print'>;
  /** Leaves it running after its first output. */
  readonly background: boolean;
  /** Milliseconds after which it is ended; undefined where only the person ends it. */
  readonly limit: number | undefined;
}

/** Milliseconds of a command in the background that are waited for. */
export const backgroundWait = 5000;
/** Milliseconds that a command has to end after Ctrl+C. */
export const interruptGrace = 1500;

/** Where the rest of a command in the background is. */
const inTerminal =
  'It is still running in the terminal “Aside”, where the person sees its output. To read more yourself, run a command that writes its output to a file.';

/**
 * Waits until a command ends, is stopped or may be left to itself, and shows what it prints.
 * Resolves with what the model is told.
 *
 * @throws {ToolError} where it did not end by itself; when the signal aborts, with its reason, as
 *   soon as the command is no more
 */
export async function followCommand(
  command: RunningCommand,
  options: FollowOptions,
): Promise<string> {
  const { clock, context, background } = options;
  const start = clock.monotonic();
  const output = new CommandOutput((text) => {
    if (!context.signal.aborted) context.print(text);
  });
  const collected = output.collect(command.output);
  // After Stop nobody waits for it.
  collected.catch(() => undefined);
  try {
    const end = await firstOf(command, options);
    if (end === 'stopped') {
      await stop(command, clock);
      throw abortError(context.signal);
    }
    if (end === 'late' && background) return withOutput(inTerminal, output);
    if (end === 'late') await stop(command, clock);
    await collected;
    const seconds = ((clock.monotonic() - start) / 1000).toFixed(1);
    return describeEnd(end, seconds, output);
  } finally {
    output.close();
  }
}

type FirstOf = CommandEnd | 'late' | 'stopped';

/** What happens first: its end, the end of the time for it, or Stop. */
async function firstOf(
  { ended }: RunningCommand,
  { clock, context: { signal }, background, limit }: FollowOptions,
): Promise<FirstOf> {
  const milliseconds = background ? backgroundWait : limit;
  let forget = (): void => undefined;
  const other = new Promise<FirstOf>((resolve) => {
    const stopped = (): void => resolve('stopped');
    signal.addEventListener('abort', stopped, { once: true });
    if (signal.aborted) stopped();
    const timer =
      milliseconds === undefined ? undefined : clock.after(milliseconds, () => resolve('late'));
    forget = () => {
      timer?.dispose();
      signal.removeEventListener('abort', stopped);
    };
  });
  return Promise.race([ended, other]).finally(forget);
}

/** Asks it to end, and makes it. */
async function stop({ ended, interrupt, kill }: RunningCommand, clock: Clock): Promise<void> {
  interrupt();
  const isLate = await new Promise<boolean>((resolve) => {
    const timer = clock.after(interruptGrace, () => resolve(true));
    void ended.finally(() => {
      timer.dispose();
      resolve(false);
    });
  });
  if (isLate) await kill();
}

function describeEnd(end: CommandEnd | 'late', seconds: string, output: CommandOutput): string {
  if (end === 'late') {
    throw new ToolError(withOutput(`Stopped by its time limit, after ${seconds} s.`, output));
  }
  if (end.type === 'closed') throw new ToolError(withOutput('Its terminal was closed.', output));
  const exit = end.code === undefined ? 'Ended, exit code unknown' : `Exit code ${end.code}`;
  return withOutput(`${exit}, after ${seconds} s.`, output);
}

function withOutput(what: string, { text }: CommandOutput): string {
  return text.trim() === '' ? `${what} It printed nothing.` : `${what}\n${text}`;
}
