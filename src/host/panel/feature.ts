import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { estimatedMoney, formatTokens } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import { compareModels, type CompareOptions } from '../chat/compareCommand.ts';
import { setMode, type LastMode, type ModeTools } from '../chat/modes.ts';
import type { CommandsOf } from '../commands.ts';
import { windowDialogs } from '../dialogs.ts';
import type { RunningRequests } from '../usage/runningRequests.ts';
import type { Chat } from '../chat/chat.ts';
import type { ChatPanel } from './chatPanel.ts';
import type { ChatTabs } from './chatPlaces.ts';
import type { OpenChats } from '../chat/openChats.ts';

export interface ChatCommandNeeds {
  readonly chats: OpenChats;
  readonly panel: ChatPanel;
  readonly tabs: ChatTabs;
  /** The requests outside chats. */
  readonly running: RunningRequests;
  /** Attaches the arguments of `aside.addToChat`. */
  readonly attach: (chat: Chat, args: readonly unknown[]) => Promise<void>;
  /** Attachments for a message: the code of a comment, and the comment. */
  readonly commentAttachments: (comment: unknown) => Promise<readonly Attachment[]>;
  readonly pickFurther: CompareOptions['pickFurther'];
  readonly expand: CompareOptions['expand'];
  readonly lastMode: LastMode;
  readonly toolsOf: (chat: Chat, mode: ChatMode) => Promise<ModeTools>;
}

export function chatCommands(needs: ChatCommandNeeds): CommandsOf<'chat'> {
  const { chats, panel, tabs, attach, commentAttachments, lastMode: last } = needs;
  /** Text typed from now on belongs in the message, not in the selection. */
  const attachTo = async (chat: Chat, attaching: Promise<void>): Promise<void> => {
    chat.composer.waitFor(attaching);
    await Promise.all([attaching, chats.reveal(false)]);
  };
  const attachComment = async ({ composer }: Chat, comment: unknown): Promise<void> => {
    for (const attachment of await commentAttachments(comment)) composer.attach(attachment);
  };
  return {
    newChat: () => panel.newChat(),
    openInEditor: (chat) => tabs.open(chat),
    ask: (prompt, options) => panel.ask(prompt, options),
    stop: () => panel.stop(),
    stopAll: () => stopAll(needs),
    retry: () => panel.retry(),
    async compare() {
      await compareModels({ ...needs, chat: chats.focused });
    },
    async askAside() {
      await askAside(chats.focused);
      await chats.reveal(false);
    },
    async setMode(mode) {
      const chat = chats.focused;
      const toolsOf = (wanted: ChatMode): Promise<ModeTools> => needs.toolsOf(chat, wanted);
      await setMode({ chat, last, dialogs: windowDialogs, toolsOf }, mode);
    },
    addToChat(...args) {
      const chat = chats.focused;
      return attachTo(chat, attach(chat, args));
    },
    addReviewCommentToChat(comment) {
      const chat = chats.focused;
      return attachTo(chat, attachComment(chat, comment));
    },
  };
}

export function busyChats(chats: OpenChats): readonly Chat[] {
  return chats.all.filter(({ isBusy }) => isBusy);
}

/** `aside.stopAll`: stops each chat like its Stop button. */
function stopAll({ chats, running }: ChatCommandNeeds): void {
  const busy = busyChats(chats);
  if (running.isEmpty && busy.length === 0)
    windowDialogs.showInformation(vscode.l10n.t('No requests are running.'));
  for (const chat of busy) chat.stop();
  running.stop();
}

/** `aside.askAside`: asks for a side chat, with what is typed as a proposal. */
async function askAside(chat: Chat): Promise<void> {
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
