import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { commands } from '../contributions.ts';
import type { MaySend } from './maySend.ts';
import { codeAtCursor } from './selection.ts';
import { Refusal } from '../refusal.ts';
import type { EditingCommand } from './slashCommands.ts';

/**
 * What a command on code would be about now.
 * @throws {Refusal} where the person does not want it sent
 */
export async function codeHere(maySend: MaySend): Promise<Attachment | undefined> {
  const editor = vscode.window.activeTextEditor;
  const code = editor && (await codeAtCursor(editor, crypto.randomUUID()));
  if (editor === undefined || code === undefined) return undefined;
  if (await maySend(editor.document.uri, code.text)) return code;
  throw new Refusal(vscode.l10n.t('Nothing was sent.'));
}

/** Runs a command at the cursor. It shows its own progress and errors. */
export function runHere(name: EditingCommand, instruction: string): void {
  const editor = vscode.window.activeTextEditor;
  const argument = editor && {
    uri: editor.document.uri,
    range: editor.selection,
    instruction,
  };
  const given = instruction === '' || argument === undefined ? [] : [argument];
  void vscode.commands.executeCommand(commands[name], ...given);
}
