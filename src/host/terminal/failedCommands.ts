import * as vscode from 'vscode';
import { sleep } from '../../core/support/async.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { BoundedOutput } from '../../core/terminal/commandOutput.ts';
import { TerminalText } from '../../core/terminal/terminalText.ts';

/** Characters kept of the beginning and of the end, which usually has the reason. */
const maxHeadLength = 16 * 1024;
const maxTailLength = 48 * 1024;

/** Milliseconds after the end of a command in which its last output may arrive. */
const lastOutput = 500;

/** The exit code of a command that the person interrupted with Ctrl+C. */
const interrupted = 130;

/** A command with an exit code other than 0. */
export interface FailedCommand {
  readonly command: string;
  readonly exitCode: number;
  /** Its output as plain text, of which the middle is left out beyond 64 KB. */
  readonly output: string;
}

type Execution = Pick<vscode.TerminalShellExecution, 'read'> & {
  readonly commandLine: Pick<vscode.TerminalShellExecutionCommandLine, 'value'>;
};

/**
 * Remembers the last command that failed in a terminal. Knows only commands that start after it was
 * created: VS Code keeps no output of earlier ones.
 */
export class FailedCommands implements Disposable {
  readonly #running = new WeakMap<Execution, Reading>();
  readonly #listening: readonly Disposable[];
  #last: { readonly execution: Execution; readonly exitCode: number } | undefined;

  constructor() {
    this.#listening = [
      vscode.window.onDidStartTerminalShellExecution(({ execution }) => this.began(execution)),
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) =>
        this.ended(execution, exitCode),
      ),
    ];
  }

  async last(): Promise<FailedCommand | undefined> {
    if (this.#last === undefined) return undefined;
    const { execution, exitCode } = this.#last;
    const output = (await this.#running.get(execution)?.text()) ?? '';
    return { command: execution.commandLine.value, exitCode, output };
  }

  began(execution: Execution): void {
    this.#running.set(execution, new Reading(execution.read()));
  }

  ended(execution: Execution, exitCode: number | undefined): void {
    if (exitCode === undefined || exitCode === 0 || exitCode === interrupted) return;
    if (this.#running.has(execution)) this.#last = { execution, exitCode };
  }

  dispose(): void {
    disposeAll(this.#listening);
  }
}

/** The output of one command, read as it arrives. */
class Reading {
  readonly #kept = new BoundedOutput(maxHeadLength, maxTailLength);
  readonly #read: Promise<void>;

  constructor(chunks: AsyncIterable<string>) {
    this.#read = this.#keep(chunks);
    // The command and its exit code are useful without the output too.
    this.#read.catch(() => undefined);
  }

  /** The output of a command that has ended. */
  async text(): Promise<string> {
    await Promise.race([this.#read.catch(() => undefined), sleep(systemClock, lastOutput)]);
    return this.#kept.text.trim();
  }

  async #keep(chunks: AsyncIterable<string>): Promise<void> {
    const terminal = new TerminalText();
    for await (const chunk of chunks) this.#kept.add(terminal.read(chunk));
    this.#kept.add(terminal.end());
  }
}

/** The text as a terminal shows it, with the same limits. */
export function boundedTerminalText(text: string): string {
  const terminal = new TerminalText();
  const kept = new BoundedOutput(maxHeadLength, maxTailLength);
  kept.add(terminal.read(text));
  kept.add(terminal.end());
  return kept.text;
}
