import * as vscode from 'vscode';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { systemClock } from '../../core/support/clock.ts';
import { type Disposable, disposeAll } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { UserError } from '../platform/errors.ts';
import type { FailedTask } from './taskNotices.ts';
import {
  boundedTerminalText,
  copyFromTerminal,
  copyLastCommand,
  describeCommand,
  isFailure,
  type TerminalCommands,
} from './terminalCommands.ts';

/** Milliseconds to wait for a terminal to be shown. */
const showLimit = 2000;

/** The last command of a terminal. */
type LastCommand = Pick<TerminalCommands, 'last'>;

/** Shows the chat and sends a message there. */
type Ask = (message: UserMessage) => Promise<void>;

/**
 * `aside.explainTerminal`: explains the terminal's selection, else its last command. Unavailable in an
 * untrusted workspace, whose programs wrote the terminal's text.
 */
export async function explainTerminal(commands: LastCommand, ask: Ask): Promise<void> {
  requireTrustedTerminals();
  const selected =
    vscode.window.activeTerminal === undefined
      ? ''
      : await copyFromTerminal(() =>
          vscode.commands.executeCommand('workbench.action.terminal.copySelection'),
        );
  if (selected.trim() === '') return explainLastCommand(commands, ask);
  const text = vscode.l10n.t('Explain this terminal output.');
  await ask({ text, attachments: [terminalAttachment(boundedTerminalText(selected))] });
}

/**
 * `aside.explainLastCommand`: explains the last command of the active terminal, even if it succeeded.
 * VS Code copies the output of one that ran before Aside was loaded.
 */
export async function explainLastCommand(commands: LastCommand, ask: Ask): Promise<void> {
  requireTrustedTerminals();
  const command = await commands.last(vscode.window.activeTerminal);
  const output = command === undefined ? await copyLastCommand() : describeCommand(command);
  if (output === undefined) {
    throw new UserError(
      vscode.l10n.t(
        'No command was found in the active terminal. Run one in a terminal with shell integration, or select the output and run "Explain Terminal Selection".',
      ),
    );
  }
  const text = isFailure(command?.exitCode)
    ? vscode.l10n.t('Explain why this command failed and how to fix it.')
    : vscode.l10n.t('Explain this command and its output.');
  await ask({ text, attachments: [terminalAttachment(output)] });
}

/** Explains a task that failed, with the text of its terminal if that is still open. */
export async function explainTask(
  { name, exitCode, processId }: FailedTask,
  commands: LastCommand,
  ask: Ask,
): Promise<void> {
  requireTrustedTerminals();
  const { terminals } = vscode.window;
  const ids = await Promise.all(terminals.map((terminal) => terminal.processId));
  const terminal = processId === undefined ? undefined : terminals[ids.indexOf(processId)];
  const lines = [`Task: ${name}`, `Exit code: ${exitCode}`];
  if (terminal !== undefined) {
    const command = await commands.last(terminal);
    if (command === undefined) await showTerminal(terminal);
    const output = command === undefined ? await copyLastCommand() : describeCommand(command);
    if (output !== undefined) lines.push(output);
  }
  const text = vscode.l10n.t('Explain why this task failed and how to fix it.');
  await ask({ text, attachments: [terminalAttachment(lines.join('\n'), vscode.l10n.t('Task'))] });
}

/** Activates a terminal, since VS Code copies only from the active one. */
async function showTerminal(terminal: vscode.Terminal): Promise<void> {
  const isActive = (): boolean => vscode.window.activeTerminal === terminal;
  const subscriptions: Disposable[] = [];
  const activated = new Promise<void>((resolve) => {
    subscriptions.push(
      vscode.window.onDidChangeActiveTerminal(() => isActive() && resolve()),
      systemClock.after(showLimit, () => resolve()),
    );
  });
  terminal.show(true);
  if (!isActive()) await activated;
  disposeAll(subscriptions);
}

function requireTrustedTerminals(): void {
  if (vscode.workspace.isTrusted) return;
  throw new UserError(vscode.l10n.t('Trust this workspace to explain its terminals.'));
}

function terminalAttachment(text: string, name = vscode.l10n.t('Terminal')): Attachment {
  return { id: newId(), name, path: name, language: 'plaintext', text: maskSecrets(text).text };
}
