import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { commands } from '../contributions.ts';
import { codeAtCursor } from './selection.ts';
import type { EditingCommand } from './slashCommands.ts';

/** What a command on code would be about now. */
export async function codeHere(): Promise<Attachment | undefined> {
  const editor = vscode.window.activeTextEditor;
  return editor && codeAtCursor(editor, crypto.randomUUID());
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
