import * as vscode from 'vscode';
import { contextKeys } from './contributions.ts';

/**
 * Resolves when the window has everything that was sent to it before, such as a page. If VS Code runs on
 * another machine, messages are compressed beside this thread, so they leave late if it goes on to load
 * scripts.
 */
export async function sentToWindow(): Promise<void> {
  await vscode.commands.executeCommand('setContext', contextKeys.used, true);
}
