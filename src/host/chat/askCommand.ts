import * as vscode from 'vscode';
import type { Chat } from './chat.ts';
import { askInChat, askOptions, type AskResult } from './ask.ts';

export interface AskCommandOptions {
  readonly chat: Chat;
  /** The chosen model; empty where none is, which the turn then says. */
  readonly model: () => string;
  /** Leads whoever has no model yet to one. */
  readonly requireModel: () => Promise<string>;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/**
 * `aside.ask`: with a prompt, which another extension or a keybinding brings, sends it and resolves
 * with the finished turn; without one, asks the person for it.
 */
export async function ask(
  options: AskCommandOptions,
  prompt: unknown,
  given: unknown,
): Promise<AskResult | undefined> {
  if (prompt === undefined) return askPerson(options);
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw new TypeError(vscode.l10n.t('aside.ask needs a prompt: a text that is not empty.'));
  }
  const checked = askOptions.safeParse(given ?? undefined);
  if (!checked.success) {
    throw new TypeError(
      vscode.l10n.t('aside.ask takes the options newChat (boolean) and model (string).'),
    );
  }
  const { newChat = false, model = options.model() } = checked.data ?? {};
  await options.reveal(true);
  return askInChat(options.chat, { prompt, model, newChat });
}

async function askPerson(options: AskCommandOptions): Promise<AskResult | undefined> {
  const prompt = await vscode.window.showInputBox({
    title: vscode.l10n.t('Ask Aside'),
    placeHolder: vscode.l10n.t('What do you want to know?'),
    ignoreFocusOut: true,
  });
  if (prompt === undefined || prompt.trim() === '') return undefined;
  const model = await options.requireModel();
  await options.reveal(true);
  // The panel shows what becomes of it, errors included.
  return askInChat(options.chat, { prompt, model, newChat: false }).catch(() => undefined);
}
