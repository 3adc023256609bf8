import type * as vscode from 'vscode';
import { sleep, Queue } from '../../core/support/async.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { CommandEnd, RunningCommand } from '../../core/terminal/followCommand.ts';

/** Milliseconds after the end of a command in which its last output may arrive. */
const lastOutput = 500;
/** Milliseconds after the end of one of several lines in which the next one starts. */
const nextLine = 1000;

/** The part of an execution in a terminal that is needed here. */
export type ShellExecution = Pick<vscode.TerminalShellExecution, 'read'>;

interface ShellCommandOptions {
  readonly clock: Clock;
  readonly interrupt: () => void;
  readonly kill: () => Promise<void>;
  readonly leftRunning: RunningCommand['leftRunning'];
}

/** A command in a terminal with shell integration; `began` and `finished` pass on its events. */
export class ShellCommand implements RunningCommand {
  readonly #options: ShellCommandOptions;
  readonly #hasLines: boolean;
  readonly #execution: ShellExecution;
  readonly #output = new Queue<string>();
  readonly #reading: Promise<void>[] = [];
  #began = false;
  #resolve: (end: CommandEnd) => void = () => undefined;
  #next: Disposable | undefined;

  readonly output = this.#output.read();
  readonly ended = new Promise<CommandEnd>((resolve) => (this.#resolve = resolve));
  readonly interrupt: () => void;
  readonly leftRunning: RunningCommand['leftRunning'];

  /** Starts the command: the text is sent to the terminal unchanged. */
  constructor(
    command: string,
    integration: { executeCommand(command: string): ShellExecution },
    options: ShellCommandOptions,
  ) {
    this.#options = options;
    this.#hasLines = command.includes('\n');
    this.interrupt = options.interrupt;
    this.leftRunning = options.leftRunning;
    this.#execution = integration.executeCommand(command);
    this.#read(this.#execution);
  }

  readonly kill = async (): Promise<void> => {
    await this.#options.kill();
    this.closed();
  };

  /**
   * An execution started in the terminal. It may be another object than the one for this command:
   * VS Code creates a new one if the shell reports the text differently from how it was sent.
   */
  began(execution: ShellExecution): void {
    this.#began = true;
    this.#next?.dispose();
    if (execution !== this.#execution) this.#read(execution);
  }

  finished(execution: ShellExecution, code: number | undefined): void {
    const isOwn = execution === this.#execution;
    if (!isOwn && !this.#began) return;
    const end = (): void => background(this.#end({ type: 'exit', code }));
    if (isOwn || !this.#hasLines) end();
    else this.#next = this.#options.clock.after(nextLine, end);
  }

  closed(): void {
    background(this.#end({ type: 'closed' }));
  }

  #read(execution: ShellExecution): void {
    this.#reading.push(this.#pass(execution.read()));
  }

  async #pass(chunks: AsyncIterable<string>): Promise<void> {
    for await (const chunk of chunks) this.#output.push(chunk);
  }

  async #end(end: CommandEnd): Promise<void> {
    this.#next?.dispose();
    await Promise.race([Promise.allSettled(this.#reading), sleep(this.#options.clock, lastOutput)]);
    this.#output.end();
    this.#resolve(end);
  }
}
