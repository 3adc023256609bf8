import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { readShellCommands } from '../../core/tools/shellCommands.ts';
import { UserError } from '../platform/errors.ts';
import { waitUntil } from './commandTerminals.ts';

/** Milliseconds to wait for the prompt of a new shell, after which the text is sent anyway. */
const startLimit = 5000;

/** The most characters of a command: nobody reads a longer one before running it. */
const maxTextLength = 20_000;

/**
 * Terminals for commands that the person runs. A terminal is reused only if it was opened here and
 * its last command has ended: in any other, a program may be waiting for keys, which VS Code does not
 * report.
 */
export class PromptTerminals implements Disposable {
  readonly #subscriptions: readonly Disposable[];
  readonly #ours = new Set<vscode.Terminal>();
  /** Terminals with an empty prompt. */
  readonly #free = new Set<vscode.Terminal>();

  constructor() {
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
    const { activeTerminal } = vscode.window;
    const [anyFree] = this.#free;
    const isActiveFree = activeTerminal !== undefined && this.#free.has(activeTerminal);
    const terminal = (isActiveFree ? activeTerminal : anyFree) ?? (await this.#open());
    this.#free.delete(terminal);
    terminal.show(false);
    terminal.sendText(command, false);
  }

  dispose(): void {
    disposeAll(this.#subscriptions);
  }

  async #open(): Promise<vscode.Terminal> {
    requireTerminals();
    const terminal = vscode.window.createTerminal();
    this.#ours.add(terminal);
    terminal.show(false);
    // A shell reports its folder with each prompt; text sent before the first would be shown twice.
    const isReady = (): boolean => terminal.shellIntegration?.cwd !== undefined;
    await waitUntil(terminal, isReady, startLimit);
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
export async function runInTerminal(
  text: string,
  terminals: Pick<PromptTerminals, 'put'>,
): Promise<void> {
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
  // A shell reads control characters as keys, and other text may run than is shown (threats: I4).
  if (commands.some((text) => /\p{Cc}/u.test(text) || revealInvisible(text).count > 0)) {
    throw new UserError(
      vscode.l10n.t(
        'This command contains invisible or control characters. If you know what it does, type it yourself.',
      ),
    );
  }
  const [only, ...others] = commands;
  if (only === undefined) {
    throw new UserError(vscode.l10n.t("There's no command in this block."));
  }
  if (others.length === 0) return terminals.put(only);
  // `$(name)` in a label would be an icon.
  const items = commands.map((command) => ({ label: command.replaceAll('$(', '$ ('), command }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Run in Terminal'),
    placeHolder: vscode.l10n.t("Select the command to insert in the terminal. It won't run yet."),
  });
  if (chosen !== undefined) await terminals.put(chosen.command);
}
