import * as vscode from 'vscode';
import type { Attachment, UserMessage } from '../../core/conversation/conversation.ts';
import { newId } from '../../core/support/id.ts';
import { maskSecrets } from '../../core/support/secretTokens.ts';
import { UserError } from '../errors.ts';
import { boundedTerminalText, type FailedCommand, type FailedCommands } from './failedCommands.ts';
import { copyTerminalSelection } from './lastTerminalOutput.ts';

export interface ExplainTerminalOptions {
  readonly failed: Pick<FailedCommands, 'last'>;
  /** Shows the panel and sends the message there. */
  readonly ask: (message: UserMessage) => Promise<void>;
}

/**
 * `aside.explainTerminal`: explains the terminal's selection, else the last command that failed. Not in
 * an untrusted workspace, whose programs wrote what the terminal shows.
 */
export async function explainTerminal({ failed, ask }: ExplainTerminalOptions): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new UserError(vscode.l10n.t('Trust this workspace to explain its terminals.'));
  }
  const selected = await selectionOfTerminal();
  if (selected !== '') {
    const text = vscode.l10n.t('Explain this terminal output.');
    await ask({ text, attachments: [terminalAttachment(boundedTerminalText(selected))] });
    return;
  }
  const command = await failed.last();
  if (command === undefined) throw nothingKnown();
  const text = vscode.l10n.t('Explain why this command failed and how to fix it.');
  await ask({ text, attachments: [terminalAttachment(describeFailure(command))] });
}

/** The selection of the active terminal; empty where there is no terminal or no selection. */
async function selectionOfTerminal(): Promise<string> {
  if (vscode.window.activeTerminal === undefined) return '';
  const { clipboard } = vscode.env;
  const copy = (): Thenable<unknown> =>
    vscode.commands.executeCommand('workbench.action.terminal.copySelection');
  const selected = await copyTerminalSelection({ clipboard, copy });
  return selected.trim() === '' ? '' : selected;
}

function terminalAttachment(text: string): Attachment {
  const name = vscode.l10n.t('Terminal');
  return { id: newId(), name, path: name, language: 'plaintext', text: maskSecrets(text).text };
}

/** The command with its output, as in the terminal. */
function describeFailure({ command, exitCode, output }: FailedCommand): string {
  const shown = output === '' ? '(No output)' : output;
  return `$ ${command}\n${shown}\n(Exit code ${exitCode})`;
}

function nothingKnown(): UserError {
  return new UserError(
    vscode.l10n.t(
      'Nothing is selected in the terminal, and no failed command was found. Select the output, or run the command again in a terminal with shell integration.',
    ),
  );
}
