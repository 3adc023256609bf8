import { abortError } from '../support/async.ts';
import { markHandled } from '../support/background.ts';
import type { Clock } from '../support/clock.ts';
import { ToolError } from '../support/toolError.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { RunningProcess } from '../conversation/conversation.ts';
import { leftRunningText } from './processTree.ts';
import { CommandOutput } from './commandOutput.ts';

/** Milliseconds to wait for the first output of a background command. */
export const backgroundWait = 5000;
/** Milliseconds that a command has to exit after Ctrl+C. */
export const interruptGrace = 1500;

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

interface FollowOptions {
  readonly clock: Clock;
  readonly context: Pick<ToolContext, 'signal' | 'print'>;
  /** True to leave it running after its first output. */
  readonly background: boolean;
  /** Time limit in milliseconds; undefined if only the person ends it. */
  readonly limit: number | undefined;
  /** Tells the person what the command left running. */
  readonly onLeftRunning: (processes: readonly RunningProcess[]) => void;
}

/** Tells the model where to find the further output of a background command. */
const inTerminal =
  'It is still running in the terminal “Aside”, where the person sees its output. To read more yourself, run a command that writes its output to a file.';

/**
 * Waits until a command ends, is stopped or may be left in the background, and shows its output.
 * Resolves with the result for the model.
 *
 * @throws {ToolError} if it did not end by itself; when the signal aborts, with its reason, once
 *   the command was ended
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
  // Not awaited after Stop.
  markHandled(collected);
  try {
    const end = await firstOf(command, options);
    if (end === 'stopped') {
      await stop(command, clock);
      await leftRunning(command, options);
      throw abortError(context.signal);
    }
    if (end === 'timeout' && background) return withOutput(inTerminal, output);
    if (end === 'timeout') await stop(command, clock);
    await collected;
    const seconds = ((clock.monotonic() - start) / 1000).toFixed(1);
    const left = await leftRunning(command, options);
    return describeEnd(end, [`${seconds} s.`, ...left].join(' '), output);
  } finally {
    output.close();
  }
}

/** Tells the person what still runs after the end. Returns the words for the model; none if nothing. */
async function leftRunning(
  command: RunningCommand,
  { onLeftRunning }: FollowOptions,
): Promise<readonly string[]> {
  const processes = await command.leftRunning();
  if (processes.length === 0) return [];
  onLeftRunning(processes);
  return [leftRunningText(processes)];
}

type FirstOf = CommandEnd | 'timeout' | 'stopped';

/**
 * Waits for the first of these: the command ends, the time limit is reached, or Stop is pressed.
 */
async function firstOf(
  { ended }: RunningCommand,
  { clock, context: { signal }, background, limit }: FollowOptions,
): Promise<FirstOf> {
  const milliseconds = background ? backgroundWait : limit;
  let cleanUp = (): void => undefined;
  const interruption = new Promise<FirstOf>((resolve) => {
    const stopped = (): void => resolve('stopped');
    signal.addEventListener('abort', stopped, { once: true });
    if (signal.aborted) stopped();
    const timer =
      milliseconds === undefined ? undefined : clock.after(milliseconds, () => resolve('timeout'));
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

/** @param rest the seconds, and what still runs */
function describeEnd(end: CommandEnd | 'timeout', rest: string, output: CommandOutput): string {
  if (end === 'timeout') {
    throw new ToolError(withOutput(`Stopped by its time limit, after ${rest}`, output));
  }
  if (end.type === 'closed') throw new ToolError(withOutput('Its terminal was closed.', output));
  const exit = end.code === undefined ? 'Ended, exit code unknown' : `Exit code ${end.code}`;
  return withOutput(`${exit}, after ${rest}`, output);
}

function withOutput(what: string, { text }: CommandOutput): string {
  return text.trim() === '' ? `${what} It printed nothing.` : `${what}\n${text}`;
}
