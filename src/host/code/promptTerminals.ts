import * as vscode from 'vscode';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import { comesTrue } from '../tools/waitForShell.ts';
import type { CommandLine } from './runInTerminal.ts';

/** Milliseconds that a new shell has to show its prompt; without it, text waits for the shell. */
const startLimit = 3000;

/**
 * Terminals for commands that the person runs. Only those that were opened here, and in which what
 * was put there has run and ended, are used again: in any other a program may wait for keys, and
 * VS Code does not tell.
 */
export class PromptTerminals implements CommandLine, Disposable {
  readonly #clock: Clock;
  readonly #subscriptions: readonly Disposable[];
  readonly #ours = new Set<vscode.Terminal>();
  /** Those that show an empty prompt. */
  readonly #free = new Set<vscode.Terminal>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#subscriptions = [
      vscode.window.onDidStartTerminalShellExecution(({ terminal }) => this.#free.delete(terminal)),
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) => {
        if (this.#ours.has(terminal)) this.#free.add(terminal);
      }),
      vscode.window.onDidCloseTerminal((terminal) => {
        this.#ours.delete(terminal);
        this.#free.delete(terminal);
      }),
    ];
  }

  /** Puts the text behind a prompt and gives the terminal the focus. Nothing of it runs by itself. */
  async put(command: string): Promise<void> {
    const terminal = this.#find() ?? (await this.#open());
    this.#free.delete(terminal);
    terminal.show(false);
    terminal.sendText(command, false);
  }

  /** Leaves the terminals to the person. */
  dispose(): void {
    disposeAll(this.#subscriptions);
  }

  /** The one that is shown, else any. */
  #find(): vscode.Terminal | undefined {
    const { activeTerminal } = vscode.window;
    return activeTerminal !== undefined && this.#free.has(activeTerminal)
      ? activeTerminal
      : this.#free.values().next().value;
  }

  async #open(): Promise<vscode.Terminal> {
    const terminal = vscode.window.createTerminal();
    this.#ours.add(terminal);
    terminal.show(false);
    // A shell tells its folder with each prompt; what comes before the first would be shown twice.
    const isReady = (): boolean => terminal.shellIntegration?.cwd !== undefined;
    await comesTrue(terminal, isReady, startLimit, this.#clock);
    return terminal;
  }
}
