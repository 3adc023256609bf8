import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { estimatedMoney, formatTokens } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import type { CompareOptions } from '../chat/compareCommand.ts';
import type { LastMode } from '../chat/modeModel.ts';
import type { ModeTools } from '../chat/modeCommand.ts';
import type { CommandsOf } from '../commands.ts';
import { windowDialogs } from '../dialogs.ts';
import type { RunningRequests } from '../usage/runningRequests.ts';
import type { Chat } from '../chat/chat.ts';
import type { ChatPanel } from './chatPanel.ts';
import type { ChatTabs } from './chatTabs.ts';
import type { OpenChat } from '../chat/openChat.ts';
import type { OpenChats } from '../chat/openChats.ts';

export interface ChatCommandNeeds {
  readonly chats: OpenChats;
  readonly panel: ChatPanel;
  readonly tabs: ChatTabs;
  /** The requests outside chats. */
  readonly running: RunningRequests;
  /** Attaches the arguments of `aside.addToChat`. */
  readonly attach: (open: OpenChat, args: readonly unknown[]) => Promise<void>;
  /** Attachments for a message: the code of a comment, and the comment. */
  readonly commentAttachments: (comment: unknown) => Promise<readonly Attachment[]>;
  readonly pickFurther: CompareOptions['pickFurther'];
  readonly lastMode: LastMode;
  readonly toolsOf: (open: OpenChat, mode: ChatMode) => Promise<ModeTools>;
}

export function chatCommands(needs: ChatCommandNeeds): CommandsOf<'chat'> {
  const { chats, panel, tabs, attach, commentAttachments, lastMode: last } = needs;
  /** Text typed from now on belongs in the message, not in the selection. */
  const attachTo = async (open: OpenChat, attaching: Promise<void>): Promise<void> => {
    open.composer.waitFor(attaching);
    await Promise.all([attaching, chats.reveal(false)]);
  };
  const attachComment = async ({ composer }: OpenChat, comment: unknown): Promise<void> => {
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
      const { compareModels } = await import('../chat/compareCommand.ts');
      await compareModels({ open: chats.focused, chats, tabs, pickFurther: needs.pickFurther });
    },
    async askAside() {
      await askAside(chats.focused);
      await chats.reveal(false);
    },
    async setMode(mode) {
      const { setMode } = await import('../chat/modeCommand.ts');
      const open = chats.focused;
      const toolsOf = (wanted: ChatMode): Promise<ModeTools> => needs.toolsOf(open, wanted);
      await setMode({ chat: open.chat, last, dialogs: windowDialogs, toolsOf }, mode);
    },
    addToChat(...args) {
      const open = chats.focused;
      return attachTo(open, attach(open, args));
    },
    addReviewCommentToChat(comment) {
      const open = chats.focused;
      return attachTo(open, attachComment(open, comment));
    },
  };
}

export function busyChats(chats: OpenChats): readonly Chat[] {
  return chats.all.map(({ chat }) => chat).filter(({ isBusy }) => isBusy);
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
async function askAside(open: OpenChat): Promise<void> {
  const { asideCost, connection } = open.state.current();
  const { tokens, price, currency = '' } = asideCost;
  const { language } = vscode.env;
  const cost =
    price === undefined || connection.kind === 'demo'
      ? counted(vscode.l10n.t('{0} tokens'), tokens, language, formatTokens(tokens, true))
      : estimatedMoney(tokens * price, currency, language);
  const { draft } = open.composer;
  const text = await windowDialogs.prompt({
    title: vscode.l10n.t('Ask Aside'),
    prompt: vscode.l10n.t('Estimated cost, not including the reply: {0}', cost),
    // The box has one line.
    value: draft.includes('\n') ? undefined : draft,
    check: () => undefined,
  });
  if (text !== undefined) await open.request({ name: 'ask-aside', parameters: { text } });
}
