import * as vscode from 'vscode';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { readShellCommands } from '../../core/terminal/shellCommands.ts';
import { UserError } from '../errors.ts';
import { waitUntil } from './waitForShell.ts';

/** Milliseconds that a new shell has to show its prompt; without it, text waits for the shell. */
const startLimit = 3000;

/**
 * Terminals for commands that the person runs. Only those that were opened here, and in which what
 * was put there has run and ended, are used again: in any other a program may wait for keys, and
 * VS Code does not tell.
 */
export class PromptTerminals implements TerminalInput, Disposable {
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
    await waitUntil(terminal, isReady, startLimit, this.#clock);
    return terminal;
  }
}

/** Where a command is put that the person runs. */
interface TerminalInput {
  put(command: string): Promise<void>;
}

/** More is no command that anybody reads before running it. */
const maxTextLength = 20_000;

/**
 * "Run in Terminal": puts a command of a reply into a terminal and leaves it to the person to run
 * it. Of several, the person chooses one: with the end of a line the shell would run what is before
 * it.
 * @throws {UserError}
 */
export async function runInTerminal(text: string, terminals: TerminalInput): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(vscode.l10n.t('Trust this workspace to run commands from a reply.'));
  }
  const commands = text.length > maxTextLength ? undefined : readShellCommands(text);
  if (commands === undefined) {
    throw new UserError(
      vscode.l10n.t(
        'These lines belong together, but a terminal would run each one separately. Copy and check them before you paste, or open them as a new file.',
      ),
    );
  }
  for (const command of commands) refuseHidden(command);
  const chosen = await chooseOne(commands);
  if (chosen !== undefined) await terminals.put(chosen);
}

/** To a shell, control characters are keys; and nobody would know what they run (threats: I4). */
function refuseHidden(command: string): void {
  if (!/\p{Cc}/u.test(command) && revealInvisible(command).count === 0) return;
  throw new UserError(
    vscode.l10n.t(
      'This command contains invisible or control characters. If you know what it does, type it yourself.',
    ),
  );
}

async function chooseOne(commands: readonly string[]): Promise<string | undefined> {
  const [only, ...others] = commands;
  if (only === undefined) {
    throw new UserError(vscode.l10n.t("There's no command in this block."));
  }
  if (others.length === 0) return only;
  // In a label `$(name)` would be an icon.
  const items = commands.map((command) => ({ label: command.replaceAll('$(', '$ ('), command }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Run in Terminal'),
    placeHolder: vscode.l10n.t("Select the command to insert in the terminal. It won't run yet."),
  });
  return chosen?.command;
}
