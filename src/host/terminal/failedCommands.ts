import * as vscode from 'vscode';
import { sleep } from '../../core/support/async.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { BoundedOutput } from '../../core/terminal/commandOutput.ts';
import { TerminalText } from '../../core/terminal/terminalText.ts';

/** A command that ended with another exit code than 0. */
export interface FailedCommand {
  readonly command: string;
  readonly exitCode: number;
  /** What it printed, as plain text, without what is in the middle of more than 64 KB. */
  readonly output: string;
}

/** Characters that are kept of the beginning and of the end, where the reason mostly stands. */
const maxHeadLength = 16 * 1024;
const maxTailLength = 48 * 1024;

/** Milliseconds that the last output may be behind the end of the command. */
const lastOutput = 500;

/** The exit code of a command that the person ended with Ctrl+C. */
const interrupted = 130;

type Execution = Pick<vscode.TerminalShellExecution, 'read'> & {
  readonly commandLine: Pick<vscode.TerminalShellExecutionCommandLine, 'value'>;
};

/**
 * Remembers the last command in a terminal that failed. Knows what begins from now on: VS Code
 * keeps no output of what ran before.
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

/** The output of one command, read as it comes. */
class Reading {
  readonly #kept = new BoundedOutput(maxHeadLength, maxTailLength);
  readonly #read: Promise<void>;

  constructor(chunks: AsyncIterable<string>) {
    this.#read = this.#keep(chunks);
    // Without its output the command and its exit code are told.
    this.#read.catch(() => undefined);
  }

  /** Of a command that has ended. */
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

/** What a terminal shows of a text, in the same bounds. */
export function boundedTerminalText(text: string): string {
  const terminal = new TerminalText();
  const kept = new BoundedOutput(maxHeadLength, maxTailLength);
  kept.add(terminal.read(text));
  kept.add(terminal.end());
  return kept.text;
}
