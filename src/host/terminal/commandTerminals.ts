import * as vscode from 'vscode';
import { sleep } from '../../core/support/async.ts';
import { reported } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { RunningCommand } from '../../core/terminal/followCommand.ts';
import type { RunningProcess } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { isSameProcess } from '../../core/terminal/processTree.ts';
import { historyDisabledEnvironment } from '../../core/terminal/shellCommands.ts';
import type { TerminalProcesses } from '../workspace/platform.ts';
import { ShellCommand } from './shellCommand.ts';
import { isSameFolder, waitForShell } from './waitForShell.ts';

/** Milliseconds after the end of a command in which the shell reports its folder. */
const folderDelay = 100;
/** Milliseconds in which a shell writes its prompt. */
const promptDelay = 500;
/** Milliseconds after the end of a terminal in which its window may close. */
const closeDelay = 1000;

export interface StartCommand {
  readonly shell: string;
  /**
   * Runs exactly this text in the folder.
   * @throws {ToolError} if no terminal can report the end of the command; when the signal aborts
   */
  start(command: string, location: CommandPlace, signal: AbortSignal): Promise<RunningCommand>;
}

interface CommandPlace {
  readonly folder: vscode.Uri;
  /** The program, from `vscode.env.shell`. */
  readonly shell: string;
}

interface CommandTerminalsOptions {
  readonly clock: Clock;
  /** Undefined if the terminals run on another machine than this code. */
  readonly processes: TerminalProcesses | undefined;
}

/** The terminals named “Aside”: one for each folder, reused when idle. */
export class CommandTerminals implements StartCommand, Disposable {
  readonly #options: CommandTerminalsOptions;
  readonly #subscriptions: readonly Disposable[];
  #terminals: readonly CommandTerminal[] = [];
  /** Tell turns that their terminals were closed, unless the window closes before. */
  readonly #closing = new Set<Disposable>();
  /** Settles when the processes of closed terminals were killed. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(options: CommandTerminalsOptions) {
    this.#options = options;
    this.#subscriptions = [
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) =>
        this.#find(terminal)?.began(execution),
      ),
      vscode.window.onDidEndTerminalShellExecution(({ terminal, execution, exitCode }) =>
        this.#find(terminal)?.finished(execution, exitCode),
      ),
      vscode.window.onDidCloseTerminal((terminal) => {
        const closed = this.#find(terminal);
        this.#terminals = this.#terminals.filter((candidate) => candidate !== closed);
        if (closed === undefined) return;
        // A window that is loaded again says that its terminals are closed, and lets them run on.
        if (closed.isOurs) this.#ending = Promise.all([this.#ending, closed.killProcesses()]);
        const closing = this.#options.clock.after(closeDelay, () => {
          this.#closing.delete(closing);
          closed.closed();
        });
        this.#closing.add(closing);
      }),
    ];
  }

  get shell(): string {
    return vscode.env.shell;
  }

  async start(
    command: string,
    location: CommandPlace,
    signal: AbortSignal,
  ): Promise<RunningCommand> {
    await Promise.all(this.#terminals.map((terminal) => terminal.settled()));
    signal.throwIfAborted();
    const terminal = this.#findIdle(location) ?? (await this.#open(location, signal));
    await terminal.noteProcesses();
    signal.throwIfAborted();
    return terminal.run(command);
  }

  /**
   * Ends the commands and what they started, when the window closes or is loaded again: VS Code
   * shows their terminals no more. A terminal in which the person ran something is left to VS Code,
   * unless a command of the model still runs in it.
   */
  async end(): Promise<void> {
    // A turn that learned of the end would go on, and send a request.
    this.dispose();
    const ours = this.#terminals.filter(({ isOurs }) => isOurs);
    await Promise.all([this.#ending, ...ours.map((terminal) => terminal.killProcesses())]);
  }

  dispose(): void {
    disposeAll([...this.#subscriptions, ...this.#closing]);
  }

  #find(terminal: vscode.Terminal): CommandTerminal | undefined {
    return this.#terminals.find((candidate) => candidate.is(terminal));
  }

  #findIdle(location: CommandPlace): CommandTerminal | undefined {
    const idle = this.#terminals.filter(
      (terminal) => terminal.isIdle && terminal.wasMadeFor(location),
    );
    const reusable = idle.find((terminal) => terminal.isInPlace);
    // The others can't be reused: commands have changed their folder.
    for (const terminal of idle)
      if (!terminal.isInPlace && !terminal.isTakenOver) terminal.dispose();
    return reusable;
  }

  async #open(location: CommandPlace, signal: AbortSignal): Promise<CommandTerminal> {
    const opened = new CommandTerminal({ ...this.#options, ...location });
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

/** A terminal in which commands of the model run, one at a time. */
class CommandTerminal implements Disposable {
  readonly #options: CommandTerminalsOptions & CommandPlace;
  readonly #terminal: vscode.Terminal;
  /** True while the shell is starting, or the terminal is about to be used. */
  #isReserved = true;
  #command: ShellCommand | undefined;
  #ofPerson: vscode.TerminalShellExecution | undefined;
  #isTakenOver = false;
  #isDisposed = false;
  #settled: Promise<void> = Promise.resolve();
  #earlier: readonly RunningProcess[] = [];
  /** A variable by which processes that detached from the terminal are recognized. */
  readonly #mark = { ASIDE_TERMINAL: newId() };

  constructor(options: CommandTerminalsOptions & CommandPlace) {
    this.#options = options;
    this.#terminal = vscode.window.createTerminal({
      name: 'Aside',
      cwd: options.folder,
      env: {
        ...historyDisabledEnvironment,
        ...this.#mark,
        GIT_PAGER: 'cat',
        ...(options.shell.endsWith('.exe') ? {} : { PAGER: 'cat' }),
      },
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      isTransient: true,
    });
    this.#terminal.show(true);
  }

  /** True if nothing runs in it. */
  get isIdle(): boolean {
    const isThere = !this.#isDisposed && this.#terminal.exitStatus === undefined;
    const isFree = this.#command === undefined && this.#ofPerson === undefined;
    return isThere && isFree && !this.#isReserved;
  }

  /** Resolves when the shell has had time to report its folder after the last command. */
  async settled(): Promise<void> {
    if (this.#command === undefined) await this.#settled;
  }

  /** True if the person ran something in it, so that Aside no longer closes it. */
  get isTakenOver(): boolean {
    return this.#isTakenOver;
  }

  /** True if no command of the person runs in it or can have left something running. */
  get isOurs(): boolean {
    return this.#command !== undefined || !this.#isTakenOver;
  }

  wasMadeFor({ folder, shell }: CommandPlace): boolean {
    return this.#options.shell === shell && isSameFolder(this.#options.folder, folder);
  }

  /** True if the shell is in the folder in which it was started. */
  get isInPlace(): boolean {
    const cwd = this.#terminal.shellIntegration?.cwd;
    return cwd !== undefined && isSameFolder(cwd, this.#options.folder);
  }

  is(terminal: vscode.Terminal): boolean {
    return this.#terminal === terminal;
  }

  /**
   * Waits until its shell is ready for a command: see `waitForShell`.
   * @throws {ToolError}
   */
  ready(signal: AbortSignal): Promise<void> {
    const { folder, clock } = this.#options;
    return waitForShell(this.#terminal, folder, clock, signal);
  }

  /** Remembers what runs before a command, which therefore did not start it. */
  async noteProcesses(): Promise<void> {
    this.#isReserved = true;
    this.#earlier = await this.#processes();
  }

  run(command: string): ShellCommand {
    const { shellIntegration } = this.#terminal;
    if (shellIntegration === undefined) throw new ToolError('The terminal was closed.');
    const running = new ShellCommand(command, shellIntegration, {
      clock: this.#options.clock,
      interrupt: () => this.#terminal.sendText('\x03', false),
      kill: () => this.#kill(),
      leftRunning: () => this.#leftRunning(),
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

  /** What was started in the terminal since the last command began. */
  async #leftRunning(): Promise<readonly RunningProcess[]> {
    const isNew = (process: RunningProcess): boolean =>
      !this.#earlier.some((earlier) => isSameProcess(earlier, process));
    const running = (await this.#processes()).filter(isNew);
    if (running.length === 0) return [];
    // What the shell runs to write its prompt ends soon.
    await sleep(this.#options.clock, promptDelay);
    const later = await this.#processes();
    return running.filter((process) => later.some((other) => isSameProcess(other, process)));
  }

  async #processes(): Promise<readonly RunningProcess[]> {
    const id = await this.#terminal.processId;
    const list =
      id === undefined
        ? undefined
        : this.#options.processes?.startedBy(id, `ASIDE_TERMINAL=${this.#mark.ASIDE_TERMINAL}`);
    return (list && (await reported(list))) ?? [];
  }

  /** Kills the shell and everything in it, and closes the terminal. */
  async #kill(): Promise<void> {
    // The processes that it started are known only while it runs.
    const end = await this.#findTree();
    this.dispose();
    await end?.();
  }

  /** The same while the window closes, when VS Code takes no more calls. */
  async killProcesses(): Promise<void> {
    const end = await this.#findTree();
    await reported(Promise.resolve(end?.()));
  }

  async #findTree(): Promise<(() => Promise<void>) | undefined> {
    const id = await this.#terminal.processId;
    const tree = id === undefined ? undefined : this.#options.processes?.findTree(id);
    return tree && reported(tree);
  }
}
