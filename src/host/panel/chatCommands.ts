import * as vscode from 'vscode';
import { estimatedMoney, formatTokens } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import type { Chat } from '../chat/chat.ts';
import type { OpenChats } from '../chat/openChats.ts';
import { windowDialogs } from '../dialogs.ts';
import type { RunningRequests } from '../usage/runningRequests.ts';

/** Text typed from now on belongs in the message, not in the selection. */
export async function attachTo(
  chat: Chat,
  attaching: Promise<void>,
  chats: OpenChats,
): Promise<void> {
  chat.composer.waitFor(attaching);
  await Promise.all([attaching, chats.reveal(false)]);
}

export function busyChats(chats: OpenChats): readonly Chat[] {
  return chats.all.filter(({ isBusy }) => isBusy);
}

/**
 * `aside.stopAll`: stops each chat like its Stop button.
 *
 * @param running the requests outside chats
 */
export function stopAll(chats: OpenChats, running: RunningRequests): void {
  const busy = busyChats(chats);
  if (running.isEmpty && busy.length === 0)
    windowDialogs.showInformation(vscode.l10n.t('No requests are running.'));
  for (const chat of busy) chat.stop();
  running.stop();
}

/** `aside.askAside`: asks for a side chat, with what is typed as a proposal. */
export async function askAside(chat: Chat): Promise<void> {
  const { asideCost, connection } = chat.panel.current();
  const { tokens, price, currency = '' } = asideCost;
  const { language } = vscode.env;
  const cost =
    price === undefined || connection.kind === 'demo'
      ? counted(vscode.l10n.t('{0} tokens'), tokens, language, formatTokens(tokens, true))
      : estimatedMoney(tokens * price, currency, language);
  const { draft } = chat.composer;
  const text = await windowDialogs.prompt({
    title: vscode.l10n.t('Ask Aside'),
    prompt: vscode.l10n.t('Estimated cost, not including the reply: {0}', cost),
    // The box has one line.
    value: draft.includes('\n') ? undefined : draft,
    check: () => undefined,
  });
  if (text !== undefined) await chat.request({ name: 'ask-aside', parameters: { text } });
}
