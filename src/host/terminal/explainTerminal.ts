import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { type Disposable, disposeAll } from '../../core/support/event.ts';
import type { FailedTask } from './taskNotices.ts';
import {
  boundedTerminalText,
  describeCommand,
  isFailure,
  type TerminalCommands,
} from './terminalCommands.ts';
import * as vscode from 'vscode';
import { systemClock } from '../../core/support/clock.ts';
import { newId } from '../../core/support/id.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { UserError } from '../errors.ts';
import { copyLastCommand, copyTerminalSelection } from './lastTerminalOutput.ts';

/** Milliseconds to wait for a terminal to be shown. */
const showLimit = 2000;

interface ExplainTerminalOptions {
  readonly commands: Pick<TerminalCommands, 'last'>;
  readonly ask: (message: UserMessage) => Promise<void>;
}

/**
 * `aside.explainTerminal`: explains the terminal's selection, else its last command. Unavailable in an
 * untrusted workspace, whose programs wrote the terminal's text.
 */
export async function explainTerminal(options: ExplainTerminalOptions): Promise<void> {
  requireTrustedTerminals();
  const selected = await selectionOfTerminal();
  if (selected === '') return explainLastCommand(options);
  const text = vscode.l10n.t('Explain this terminal output.');
  await options.ask({ text, attachments: [terminalAttachment(boundedTerminalText(selected))] });
}

/**
 * `aside.explainLastCommand`: explains the last command of the active terminal, even if it succeeded.
 * VS Code copies the output of one that ran before Aside was loaded.
 */
export async function explainLastCommand({ commands, ask }: ExplainTerminalOptions): Promise<void> {
  requireTrustedTerminals();
  const { activeTerminal } = vscode.window;
  const command = await commands.last(activeTerminal);
  if (command === undefined) {
    const copied = await copyLastCommand();
    if (copied === undefined) {
      throw new UserError(
        vscode.l10n.t(
          'No command was found in the active terminal. Run one in a terminal with shell integration, or select the output and run "Explain Terminal Selection".',
        ),
      );
    }
    const text = commandInstruction();
    await ask({ text, attachments: [terminalAttachment(boundedTerminalText(copied).trim())] });
    return;
  }
  const text = isFailure(command.exitCode)
    ? vscode.l10n.t('Explain why this command failed and how to fix it.')
    : commandInstruction();
  await ask({ text, attachments: [terminalAttachment(describeCommand(command))] });
}

/** Explains a task that failed, with the text of its terminal if that is still open. */
export async function explainTask(
  { name, exitCode, processId }: FailedTask,
  { commands, ask }: ExplainTerminalOptions,
): Promise<void> {
  requireTrustedTerminals();
  const terminal = await terminalOf(processId);
  const output = terminal === undefined ? undefined : await outputOf(terminal, commands);
  const lines = [
    `Task: ${name}`,
    `Exit code: ${exitCode}`,
    ...(output === undefined ? [] : [output]),
  ];
  const text = vscode.l10n.t('Explain why this task failed and how to fix it.');
  await ask({ text, attachments: [terminalAttachment(lines.join('\n'), vscode.l10n.t('Task'))] });
}

async function terminalOf(processId: number | undefined): Promise<vscode.Terminal | undefined> {
  if (processId === undefined) return undefined;
  const { terminals } = vscode.window;
  const ids = await Promise.all(terminals.map((terminal) => terminal.processId));
  return terminals[ids.indexOf(processId)];
}

/** The output of a task's last run in its terminal. */
async function outputOf(
  terminal: vscode.Terminal,
  commands: ExplainTerminalOptions['commands'],
): Promise<string | undefined> {
  const command = await commands.last(terminal);
  if (command !== undefined) return describeCommand(command);
  await showTerminal(terminal);
  const copied = await copyLastCommand();
  return copied && boundedTerminalText(copied).trim();
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

function commandInstruction(): string {
  return vscode.l10n.t('Explain this command and its output.');
}

/** The selection of the active terminal; empty without a terminal or a selection. */
async function selectionOfTerminal(): Promise<string> {
  if (vscode.window.activeTerminal === undefined) return '';
  const { clipboard } = vscode.env;
  const copy = (): Thenable<unknown> =>
    vscode.commands.executeCommand('workbench.action.terminal.copySelection');
  const selected = await copyTerminalSelection({ clipboard, copy });
  return selected.trim() === '' ? '' : selected;
}

function terminalAttachment(text: string, name = vscode.l10n.t('Terminal')): Attachment {
  return { id: newId(), name, path: name, language: 'plaintext', text: maskSecrets(text).text };
}
