import * as vscode from 'vscode';
import { sleep } from '../../core/support/async.ts';
import { reported } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { BoundedTerminalText } from '../../core/tools/commandOutput.ts';
import type { ShellExecution } from './commandTerminals.ts';

/** The most characters of the beginning and of the end, which usually says why a command failed. */
const maxHeadLength = 16 * 1024;
const maxTailLength = 48 * 1024;

/** Milliseconds after the end of a command in which its last output may arrive. */
const lastOutput = 500;

/** The exit code of a command that the person interrupted with Ctrl+C. */
const interrupted = 130;

export interface TerminalCommand {
  readonly command: string;
  /** Undefined while it runs, and if the shell doesn't report it. */
  readonly exitCode: number | undefined;
  readonly isRunning: boolean;
  /** Its output as plain text; beyond 64 KB, without its middle. */
  readonly output: string;
}

interface Execution extends ShellExecution {
  readonly commandLine: Pick<vscode.TerminalShellExecutionCommandLine, 'value'>;
}

/** A terminal, compared by identity only. */
type Terminal = Pick<vscode.Terminal, 'name'>;

/**
 * Remembers the last command of each terminal. Knows only commands that start after {@link listen}: VS
 * Code keeps no output of earlier ones.
 */
export class TerminalCommands implements Disposable {
  readonly #readings = new WeakMap<Execution, Reading>();
  readonly #lastOf = new WeakMap<Terminal, Execution>();
  #listening: readonly Disposable[] | undefined;
  #latest: Execution | undefined;

  /** Begins to read what commands print, if it hasn't. */
  listen(): void {
    this.#listening ??= [
      vscode.window.onDidStartTerminalShellExecution(({ execution, terminal }) =>
        this.began(execution, terminal),
      ),
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) =>
        this.ended(execution, exitCode),
      ),
    ];
  }

  /** The last command of a terminal, or the latest of all. */
  async last(terminal?: Terminal): Promise<TerminalCommand | undefined> {
    this.listen();
    const execution = terminal === undefined ? this.#latest : this.#lastOf.get(terminal);
    const reading = execution && this.#readings.get(execution);
    if (execution === undefined || reading === undefined) return undefined;
    const output = await reading.text();
    const { end } = reading;
    const command = execution.commandLine.value;
    return { command, exitCode: end?.exitCode, isRunning: end === undefined, output };
  }

  began(execution: Execution, terminal?: Terminal): void {
    this.#readings.set(execution, new Reading(execution.read()));
    this.#latest = execution;
    if (terminal !== undefined) this.#lastOf.set(terminal, execution);
  }

  ended(execution: Execution, exitCode: number | undefined): void {
    const reading = this.#readings.get(execution);
    if (reading !== undefined) reading.end = { exitCode };
  }

  dispose(): void {
    disposeAll(this.#listening ?? []);
  }
}

/** A command with its output and its end, for a model. */
export function describeCommand({ command, exitCode, isRunning, output }: TerminalCommand): string {
  const text = output === '' ? '(No output)' : output;
  const end = exitCode === undefined ? [] : [`(Exit code ${exitCode})`];
  return [`$ ${command}`, text, ...(isRunning ? ['(Still running)'] : end)].join('\n');
}

/** True if a command failed. One that the person interrupted did not. */
export function isFailure(exitCode: number | undefined): exitCode is number {
  return exitCode !== undefined && exitCode !== 0 && exitCode !== interrupted;
}

class Reading {
  /** Set when the command has ended. */
  end: { readonly exitCode: number | undefined } | undefined;
  readonly #output = new BoundedTerminalText(maxHeadLength, maxTailLength);
  readonly #read: Promise<void>;

  constructor(chunks: AsyncIterable<string>) {
    const read = async (): Promise<void> => {
      for await (const chunk of chunks) this.#output.read(chunk);
      this.#output.end();
    };
    // The command and its exit code are useful even without the output.
    this.#read = reported(read());
  }

  /** All of the output if the command has ended, else the output so far. */
  async text(): Promise<string> {
    await Promise.race([this.#read, sleep(systemClock, lastOutput)]);
    return this.#output.text.trim();
  }
}

/** The text as a terminal shows it, with the same limits. */
export function boundedTerminalText(text: string): string {
  const bounded = new BoundedTerminalText(maxHeadLength, maxTailLength);
  bounded.read(text);
  bounded.end();
  return bounded.text;
}

/** The last command and its output: the one that Aside observed, else the one that VS Code copies. */
export async function lastTerminalOutput(commands: TerminalCommands): Promise<string | undefined> {
  const command = await commands.last();
  return command === undefined ? copyLastCommand() : describeCommand(command);
}

/**
 * The last command of the active terminal and its output, with the limits of
 * {@link boundedTerminalText}, if VS Code knows them.
 */
export async function copyLastCommand(): Promise<string | undefined> {
  if (vscode.window.activeTerminal === undefined) return undefined;
  const text = await copyFromTerminal(() =>
    vscode.commands.executeCommand('workbench.action.terminal.copyLastCommandAndLastCommandOutput'),
  );
  return text.trim() === '' ? undefined : boundedTerminalText(text).trim();
}

/** A text put into the clipboard, to tell afterwards whether something was copied. */
const marker = 'Aside reads the selection of the terminal.';

/**
 * Copies text from the active terminal; empty if nothing was copied. VS Code gives access to it only
 * by the clipboard, whose own text is restored afterwards, also after an error.
 *
 * @param copy copies the selection or the last command to the clipboard, if there is one
 */
export async function copyFromTerminal(
  copy: () => PromiseLike<unknown>,
  clipboard: vscode.Clipboard = vscode.env.clipboard,
): Promise<string> {
  const before = await clipboard.readText();
  // A clipboard without text may have an image, which could not be restored.
  if (before !== '') await clipboard.writeText(marker);
  try {
    await copy();
    const copied = await clipboard.readText();
    return copied === marker ? '' : copied;
  } finally {
    if ((await clipboard.readText()) !== before) await clipboard.writeText(before);
  }
}
