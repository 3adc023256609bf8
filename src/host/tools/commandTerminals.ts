import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import type { RunningCommand } from '../../core/tools/followCommand.ts';
import { CommandTerminal, type CommandTerminalOptions } from './commandTerminal.ts';

/** Starts commands of the model in terminals that the person sees. */
export interface StartCommand {
  /** The person's shell, as the question names it. */
  readonly shell: string;
  /**
   * Runs exactly this text in the folder.
   *
   * @throws {ToolError} where no terminal can tell how the command ends; when the signal aborts
   */
  start(command: string, place: CommandPlace, signal: AbortSignal): Promise<RunningCommand>;
}

/** Where a command runs. */
export interface CommandPlace {
  readonly folder: vscode.Uri;
  readonly shell: string;
}

/** The terminals named “Aside”: one for each folder, used again when it is idle. */
export class CommandTerminals implements StartCommand, Disposable {
  readonly #options: Pick<CommandTerminalOptions, 'clock' | 'findTree'>;
  readonly #subscriptions: readonly Disposable[];
  #terminals: readonly CommandTerminal[] = [];

  constructor(options: Pick<CommandTerminalOptions, 'clock' | 'findTree'>) {
    this.#options = options;
    this.#subscriptions = [
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) =>
        this.#find(terminal)?.began(execution),
      ),
      vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) =>
        this.#find(terminal)?.finished(execution, exitCode),
      ),
      vscode.window.onDidCloseTerminal((terminal) => {
        this.#find(terminal)?.closed();
        this.#terminals = this.#terminals.filter((one) => !one.is(terminal));
      }),
    ];
  }

  get shell(): string {
    return vscode.env.shell;
  }

  async start(command: string, place: CommandPlace, signal: AbortSignal): Promise<RunningCommand> {
    await Promise.all(this.#terminals.map((one) => one.settled()));
    signal.throwIfAborted();
    const found = this.#findIdle(place) ?? (await this.#open(place, signal));
    return found.run(command);
  }

  /** Leaves the terminals to the person. */
  dispose(): void {
    disposeAll(this.#subscriptions);
  }

  #find(terminal: vscode.Terminal): CommandTerminal | undefined {
    return this.#terminals.find((one) => one.is(terminal));
  }

  #findIdle(place: CommandPlace): CommandTerminal | undefined {
    const idle = this.#terminals.filter((one) => one.isIdle && one.wasMadeFor(place));
    const found = idle.find((one) => one.isInPlace);
    // A command left them in another folder. They would only pile up.
    for (const one of idle) if (!one.isInPlace && !one.isTakenOver) one.dispose();
    return found;
  }

  async #open(place: CommandPlace, signal: AbortSignal): Promise<CommandTerminal> {
    const opened = new CommandTerminal({ ...this.#options, ...place });
    this.#terminals = [...this.#terminals, opened];
    try {
      await opened.ready(signal);
      signal.throwIfAborted();
      return opened;
    } catch (error) {
      opened.dispose();
      throw error;
    }
  }
}
