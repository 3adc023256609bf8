import type * as vscode from 'vscode';
import { sleep, Queue } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { CommandEnd, RunningCommand } from '../../core/terminal/followCommand.ts';

/** Milliseconds that the last output may be behind the end of the command. */
const lastOutput = 500;
/** Milliseconds after the end of a line in which the next of several lines begins. */
const nextLine = 1000;

/** What VS Code knows of something that runs in a terminal. */
export type ShellExecution = Pick<vscode.TerminalShellExecution, 'read'>;

interface ShellCommandOptions {
  readonly clock: Clock;
  readonly interrupt: () => void;
  /** Ends the terminal, and what runs in it. */
  readonly kill: () => Promise<void>;
}

/** A command in a terminal with shell integration, whose events it is told by `began` and `finished`. */
export class ShellCommand implements RunningCommand {
  readonly #options: ShellCommandOptions;
  readonly #hasLines: boolean;
  readonly #own: ShellExecution;
  readonly #output = new Queue<string>();
  readonly #reading: Promise<void>[] = [];
  #began = false;
  #resolve: (end: CommandEnd) => void = () => undefined;
  #next: Disposable | undefined;

  readonly output = this.#output.read();
  readonly ended = new Promise<CommandEnd>((resolve) => (this.#resolve = resolve));
  readonly interrupt: () => void;

  /** Starts it: the text is sent to the terminal as it is. */
  constructor(
    command: string,
    integration: { executeCommand(command: string): ShellExecution },
    options: ShellCommandOptions,
  ) {
    this.#options = options;
    this.#hasLines = command.includes('\n');
    this.interrupt = options.interrupt;
    this.#own = integration.executeCommand(command);
    this.#read(this.#own);
  }

  readonly kill = async (): Promise<void> => {
    await this.#options.kill();
    this.closed();
  };

  /**
   * Something began to run in the terminal. Where a shell reports the text differently from how it
   * was sent, VS Code takes it for another command.
   */
  began(execution: ShellExecution): void {
    this.#began = true;
    this.#next?.dispose();
    if (execution !== this.#own) this.#read(execution);
  }

  finished(execution: ShellExecution, code: number | undefined): void {
    const isOwn = execution === this.#own;
    if (!isOwn && !this.#began) return;
    const end = (): void => void this.#end({ type: 'exit', code });
    if (isOwn || !this.#hasLines) end();
    else this.#next = this.#options.clock.after(nextLine, end);
  }

  /** The terminal is gone. */
  closed(): void {
    void this.#end({ type: 'closed' });
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
