import * as vscode from 'vscode';
import { sleep } from '../../core/support/abort.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/disposable.ts';
import { withoutHistory } from '../../core/tools/commandRefusal.ts';
import { ToolError } from '../../core/tools/tool.ts';
import { ShellCommand } from './shellCommand.ts';
import { isSameFolder, waitForShell } from './waitForShell.ts';

/** Milliseconds after the end of a command in which the shell tells its folder. */
const folderDelay = 100;

export interface CommandTerminalOptions {
  readonly clock: Clock;
  readonly folder: vscode.Uri;
  /** The program, as `vscode.env.shell` named it. */
  readonly shell: string;
  /** See `findProcessTree`; undefined where processes run elsewhere than this code. */
  readonly findTree: ((id: number) => Promise<() => Promise<void>>) | undefined;
}

/** A terminal in which commands of the model run, one at a time. */
export class CommandTerminal implements Disposable {
  readonly #options: CommandTerminalOptions;
  readonly #terminal: vscode.Terminal;
  /** It is waited for, or about to be used. */
  #isReserved = true;
  #command: ShellCommand | undefined;
  #ofPerson: vscode.TerminalShellExecution | undefined;
  #isTakenOver = false;
  #isDisposed = false;
  #settled: Promise<void> = Promise.resolve();

  constructor(options: CommandTerminalOptions) {
    this.#options = options;
    this.#terminal = vscode.window.createTerminal({
      name: 'Aside',
      cwd: options.folder,
      env: environmentFor(options.shell),
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      isTransient: true,
    });
    this.#terminal.show(true);
  }

  /** Whether nothing runs in it. */
  get isIdle(): boolean {
    const isThere = !this.#isDisposed && this.#terminal.exitStatus === undefined;
    const isFree = this.#command === undefined && this.#ofPerson === undefined;
    return isThere && isFree && !this.#isReserved;
  }

  /** Resolves when it is known where the last command that ended left it. */
  async settled(): Promise<void> {
    if (this.#command === undefined) await this.#settled;
  }

  /** Whether the person ran something in it: it is not ours to close any more. */
  get isTakenOver(): boolean {
    return this.#isTakenOver;
  }

  wasMadeFor({ folder, shell }: Pick<CommandTerminalOptions, 'folder' | 'shell'>): boolean {
    return this.#options.shell === shell && isSameFolder(this.#options.folder, folder);
  }

  /** Whether it is where it was when it was made. */
  get isInPlace(): boolean {
    const cwd = this.#terminal.shellIntegration?.cwd;
    return cwd !== undefined && isSameFolder(cwd, this.#options.folder);
  }

  is(terminal: vscode.Terminal): boolean {
    return this.#terminal === terminal;
  }

  /**
   * Waits until its shell is ready for a command: see `waitForShell`.
   *
   * @throws {ToolError}
   */
  ready(signal: AbortSignal): Promise<void> {
    const { folder, clock } = this.#options;
    return waitForShell(this.#terminal, folder, clock, signal);
  }

  /** Starts the command. */
  run(command: string): ShellCommand {
    const { shellIntegration } = this.#terminal;
    if (shellIntegration === undefined) throw new ToolError('The terminal was closed.');
    const running = new ShellCommand(command, shellIntegration, {
      clock: this.#options.clock,
      interrupt: () => this.#terminal.sendText('\x03', false),
      kill: () => this.#kill(),
    });
    this.#command = running;
    this.#isReserved = false;
    this.#settled = running.ended.then(() => {
      this.#command = undefined;
      return sleep(this.#options.clock, folderDelay);
    });
    return running;
  }

  began(execution: vscode.TerminalShellExecution): void {
    this.#command?.began(execution);
    if (this.#command !== undefined) return;
    this.#ofPerson = execution;
    this.#isTakenOver = true;
  }

  finished(execution: vscode.TerminalShellExecution, code: number | undefined): void {
    if (execution === this.#ofPerson) this.#ofPerson = undefined;
    else this.#command?.finished(execution, code);
  }

  closed(): void {
    this.#command?.closed();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#terminal.dispose();
  }

  async #kill(): Promise<void> {
    const id = await this.#terminal.processId;
    // Whom it started is known only as long as it lives.
    const find = id === undefined ? undefined : this.#options.findTree?.(id);
    const end = await find?.catch(() => undefined);
    this.dispose();
    await end?.();
  }
}

/** Nothing of ours but what keeps a command from waiting for keys. No key of a service is ever in it. */
function environmentFor(shell: string): Record<string, string> {
  const pagers = { GIT_PAGER: 'cat', ...(shell.endsWith('.exe') ? {} : { PAGER: 'cat' }) };
  return { ...withoutHistory, ...pagers };
}
