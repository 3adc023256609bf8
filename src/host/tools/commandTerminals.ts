import * as vscode from 'vscode';
import type { RunningProcess } from '../../core/conversation/conversation.ts';
import { Queue, raceAbort, sleep } from '../../core/support/async.ts';
import { background, reported } from '../../core/support/background.ts';
import { systemClock, type Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { trimEndOf } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { CommandEnd, RunningCommand } from '../../core/tools/followCommand.ts';
import { isSameProcess } from '../../core/tools/processTree.ts';
import { historyDisabledEnvironment } from '../../core/tools/shellCommands.ts';
import type { TerminalProcesses } from '../platform/platform.ts';

/** Milliseconds for a shell to start, which its startup files and a busy machine can delay. */
const startLimit = 20_000;
/** Milliseconds after the start in which a shell reports its folder. */
const folderLimit = 1000;
/** Milliseconds after the end of a command in which the shell reports its folder. */
const folderDelay = 100;
/** Milliseconds after the end of a command in which its last output may arrive. */
const lastOutput = 500;
/** Milliseconds after the end of one of several lines in which the next one starts. */
const nextLine = 1000;
/** Milliseconds in which a shell writes its prompt. */
const promptDelay = 500;
/** Milliseconds after the end of a terminal in which its window may close. */
const closeDelay = 1000;

/** The terminals named “Aside”: one for each folder, reused when idle. */
export class CommandTerminals implements Disposable {
  readonly #processes: TerminalProcesses | undefined;
  readonly #subscriptions: readonly Disposable[];
  #terminals: readonly CommandTerminal[] = [];
  /** Tell turns that their terminals were closed, unless the window closes before. */
  readonly #closing = new Set<Disposable>();
  /** Settles when the processes of closed terminals were killed. */
  #ending: Promise<unknown> = Promise.resolve();

  /** @param processes undefined if the terminals run on another machine than this code */
  constructor(processes: TerminalProcesses | undefined) {
    this.#processes = processes;
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
        const closing = systemClock.after(closeDelay, () => {
          this.#closing.delete(closing);
          closed.closed();
        });
        this.#closing.add(closing);
      }),
    ];
  }

  /** The program that new terminals run. */
  get shell(): string {
    return vscode.env.shell;
  }

  /**
   * Runs exactly this text in the folder.
   * @throws {ToolError} if no terminal can report the end of the command; when the signal aborts
   */
  async start(
    command: string,
    folder: vscode.Uri,
    shell: string,
    signal: AbortSignal,
  ): Promise<RunningCommand> {
    await Promise.all(this.#terminals.map((terminal) => terminal.settled()));
    signal.throwIfAborted();
    const idle = this.#terminals.filter(
      (terminal) => terminal.isIdle && terminal.wasMadeFor(folder, shell),
    );
    let terminal = idle.find(({ isInPlace }) => isInPlace);
    // The others can't be reused: commands have changed their folder.
    for (const other of idle) if (!other.isInPlace && !other.isTakenOver) other.dispose();
    if (terminal === undefined) {
      terminal = new CommandTerminal(folder, shell, this.#processes);
      this.#terminals = [...this.#terminals, terminal];
      try {
        await terminal.ready(signal);
        signal.throwIfAborted();
      } catch (error) {
        terminal.dispose();
        throw error;
      }
    }
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
}

/** A terminal in which commands of the model run, one at a time. */
class CommandTerminal implements Disposable {
  readonly #folder: vscode.Uri;
  readonly #shell: string;
  readonly #processes: TerminalProcesses | undefined;
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

  constructor(folder: vscode.Uri, shell: string, processes: TerminalProcesses | undefined) {
    this.#folder = folder;
    this.#shell = shell;
    this.#processes = processes;
    this.#terminal = vscode.window.createTerminal({
      name: 'Aside',
      cwd: folder,
      env: {
        ...historyDisabledEnvironment,
        ...this.#mark,
        GIT_PAGER: 'cat',
        ...(shell.endsWith('.exe') ? {} : { PAGER: 'cat' }),
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

  wasMadeFor(folder: vscode.Uri, shell: string): boolean {
    return this.#shell === shell && isSameFolder(this.#folder, folder);
  }

  /** True if the shell is in the folder in which it was started. */
  get isInPlace(): boolean {
    const cwd = this.#terminal.shellIntegration?.cwd;
    return cwd !== undefined && isSameFolder(cwd, this.#folder);
  }

  is(terminal: vscode.Terminal): boolean {
    return this.#terminal === terminal;
  }

  /**
   * Waits until its shell can report the end of commands, and its folder.
   * @throws {ToolError} if it can't, or starts in another folder; when the signal aborts
   */
  async ready(signal: AbortSignal): Promise<void> {
    const terminal = this.#terminal;
    const until = (isTrue: () => boolean, limit: number): Promise<boolean> =>
      raceAbort(waitUntil(terminal, isTrue, limit), signal);
    if (!(await until(() => terminal.shellIntegration !== undefined, startLimit))) {
      throw new ToolError(
        'The command did not run: the shell of this terminal does not report when a command ends. Ask the person to run it, or to turn on shell integration (terminal.integrated.shellIntegration.enabled).',
      );
    }
    await until(() => terminal.shellIntegration?.cwd !== undefined, folderLimit);
    const cwd = terminal.shellIntegration?.cwd;
    // The command was approved for this folder and no other (threats: I4).
    if (cwd !== undefined && !isSameFolder(cwd, this.#folder)) {
      throw new ToolError(
        'The command did not run: the startup files of the shell change to a different folder.',
      );
    }
  }

  /** Remembers what runs before a command, which therefore did not start it. */
  async noteProcesses(): Promise<void> {
    this.#isReserved = true;
    this.#earlier = await this.#startedHere();
  }

  run(command: string): RunningCommand {
    const { shellIntegration } = this.#terminal;
    if (shellIntegration === undefined) throw new ToolError('The terminal was closed.');
    const running = new ShellCommand(command, shellIntegration, systemClock);
    this.#command = running;
    this.#isReserved = false;
    this.#settled = running.ended.then(() => {
      this.#command = undefined;
      return sleep(systemClock, folderDelay);
    });
    const { output, ended } = running;
    return {
      output,
      ended,
      interrupt: () => this.#terminal.sendText('\x03', false),
      kill: async () => {
        // The processes that it started are known only while it runs.
        const end = await this.#findTree();
        this.dispose();
        await end?.();
        running.closed();
      },
      leftRunning: async () => {
        const started = (await this.#startedHere()).filter(
          (process) => !this.#earlier.some((earlier) => isSameProcess(earlier, process)),
        );
        if (started.length === 0) return [];
        // What the shell runs to write its prompt ends soon.
        await sleep(systemClock, promptDelay);
        const later = await this.#startedHere();
        return started.filter((process) => later.some((other) => isSameProcess(other, process)));
      },
    };
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

  /** What was started in this terminal and still runs. */
  async #startedHere(): Promise<readonly RunningProcess[]> {
    const id = await this.#terminal.processId;
    const list =
      id === undefined
        ? undefined
        : this.#processes?.startedBy(id, `ASIDE_TERMINAL=${this.#mark.ASIDE_TERMINAL}`);
    return (list && (await reported(list))) ?? [];
  }

  /** Kills the shell and everything in it, while the window closes and VS Code takes no calls. */
  async killProcesses(): Promise<void> {
    const end = await this.#findTree();
    await reported(Promise.resolve(end?.()));
  }

  async #findTree(): Promise<(() => Promise<void>) | undefined> {
    const id = await this.#terminal.processId;
    const tree = id === undefined ? undefined : this.#processes?.findTree(id);
    return tree && reported(tree);
  }
}

/** The part of an execution in a terminal that is needed here. */
export type ShellExecution = Pick<vscode.TerminalShellExecution, 'read'>;

/** A command in a terminal with shell integration; `began` and `finished` pass on its events. */
export class ShellCommand {
  readonly #clock: Clock;
  readonly #hasLines: boolean;
  readonly #execution: ShellExecution;
  readonly #output = new Queue<string>();
  readonly #reading: Promise<void>[] = [];
  #began = false;
  #resolve: (end: CommandEnd) => void = () => undefined;
  #next: Disposable | undefined;

  readonly output = this.#output.read();
  readonly ended = new Promise<CommandEnd>((resolve) => (this.#resolve = resolve));

  /** Starts the command: the text is sent to the terminal unchanged. */
  constructor(
    command: string,
    integration: { executeCommand(command: string): ShellExecution },
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#hasLines = command.includes('\n');
    this.#execution = integration.executeCommand(command);
    this.#read(this.#execution);
  }

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
    else this.#next = this.#clock.after(nextLine, end);
  }

  closed(): void {
    background(this.#end({ type: 'closed' }));
  }

  #read(execution: ShellExecution): void {
    const pass = async (): Promise<void> => {
      for await (const chunk of execution.read()) this.#output.push(chunk);
    };
    this.#reading.push(pass());
  }

  async #end(end: CommandEnd): Promise<void> {
    this.#next?.dispose();
    await Promise.race([Promise.allSettled(this.#reading), sleep(this.#clock, lastOutput)]);
    this.#output.end();
    this.#resolve(end);
  }
}

/** Resolves with true once the condition holds; with false on timeout or if the terminal is closed. */
export function waitUntil(
  terminal: vscode.Terminal,
  isTrue: () => boolean,
  limit: number,
): Promise<boolean> {
  const subscriptions: Disposable[] = [];
  const becameTrue = new Promise<boolean>((resolve) => {
    const check = (): void => {
      if (isTrue()) resolve(true);
    };
    subscriptions.push(
      vscode.window.onDidChangeTerminalShellIntegration(check),
      vscode.window.onDidCloseTerminal((closed) => {
        if (closed === terminal) resolve(false);
      }),
      systemClock.after(limit, () => resolve(false)),
    );
    check();
  });
  return becameTrue.finally(() => disposeAll(subscriptions));
}

function isSameFolder(a: vscode.Uri, b: vscode.Uri): boolean {
  return keyOf(a) === keyOf(b);
}

/** Normalizes a path: on Windows, the case varies, even that of the drive letter. */
function keyOf({ path }: vscode.Uri): string {
  const folder = trimEndOf(path, '/');
  return /^\/[a-z]:/i.test(folder) ? folder.toLowerCase() : folder;
}
