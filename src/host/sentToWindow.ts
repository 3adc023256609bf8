import * as vscode from 'vscode';
import { contextKeys } from './contributions.ts';

/** Milliseconds after which a page was sent, even on a slow processor. */
const sending = 50;

/**
 * Resolves when the window has everything that was sent to it before, such as a page. If VS Code runs on
 * another machine, messages are compressed beside this thread, so they leave late if it goes on to load
 * scripts.
 */
export const sentToWindow = (): PromiseLike<unknown> =>
  vscode.commands.executeCommand('setContext', contextKeys.used, true);

/** Resolves when a page was sent. A window that is busy with opening the view answers later. */
export const pageSent = (): Promise<unknown> =>
  Promise.race([sentToWindow(), new Promise((resolve) => setTimeout(resolve, sending))]);
