import * as vscode from 'vscode';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { readShellCommands } from '../../core/terminal/shellCommands.ts';
import { UserError } from '../errors.ts';
import { waitUntil } from './waitForShell.ts';

/** Milliseconds to wait for the prompt of a new shell, after which the text is sent anyway. */
const startLimit = 5000;

/** The most characters of a command: nobody reads a longer one before running it. */
const maxTextLength = 20_000;

/** A terminal that shows a command for the person to run. */
interface TerminalInput {
  put(command: string): Promise<void>;
}

/**
 * Terminals for commands that the person runs. A terminal is reused only if it was opened here and
 * its last command has ended: in any other, a program may be waiting for keys, which VS Code does not
 * report.
 */
export class PromptTerminals implements TerminalInput, Disposable {
  readonly #clock: Clock;
  readonly #subscriptions: readonly Disposable[];
  readonly #ours = new Set<vscode.Terminal>();
  /** Terminals with an empty prompt. */
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

  /** Inserts the text at a prompt without running it, and focuses the terminal. */
  async put(command: string): Promise<void> {
    const terminal = this.#find() ?? (await this.#open());
    this.#free.delete(terminal);
    terminal.show(false);
    terminal.sendText(command, false);
  }

  dispose(): void {
    disposeAll(this.#subscriptions);
  }

  /** The active one if it is free, else any free one. */
  #find(): vscode.Terminal | undefined {
    const { activeTerminal } = vscode.window;
    return activeTerminal !== undefined && this.#free.has(activeTerminal)
      ? activeTerminal
      : this.#free.values().next().value;
  }

  async #open(): Promise<vscode.Terminal> {
    requireTerminals();
    const terminal = vscode.window.createTerminal();
    this.#ours.add(terminal);
    terminal.show(false);
    // A shell reports its folder with each prompt; text sent before the first would be shown twice.
    const isReady = (): boolean => terminal.shellIntegration?.cwd !== undefined;
    await waitUntil(terminal, isReady, startLimit, this.#clock);
    return terminal;
  }
}

/** Schemes of folders that a shell can be started in. */
const shellSchemes = ['file', 'vscode-remote'];

/** Decides as VS Code does itself: a browser has terminals if a server runs them. */
function requireTerminals(): void {
  if (vscode.env.uiKind === vscode.UIKind.Web && vscode.env.remoteName === undefined)
    throw new UserError(
      vscode.l10n.t(
        "There's no terminal in a browser. Use VS Code on the desktop or in a remote window.",
      ),
    );
  const { workspaceFolders: folders = [] } = vscode.workspace;
  if (folders.length > 0 && folders.every(({ uri }) => !shellSchemes.includes(uri.scheme)))
    throw new UserError(
      vscode.l10n.t('Commands need a folder on a disk, not a virtual workspace.'),
    );
}

/**
 * "Run in Terminal": inserts a command of a reply into a terminal, for the person to run. If there are
 * several, the person chooses one, since a shell would run each line at its end.
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

/** A shell reads control characters as keys, and other text may run than is shown (threats: I4). */
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
  // `$(name)` in a label would be an icon.
  const items = commands.map((command) => ({ label: command.replaceAll('$(', '$ ('), command }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Run in Terminal'),
    placeHolder: vscode.l10n.t("Select the command to insert in the terminal. It won't run yet."),
  });
  return chosen?.command;
}
