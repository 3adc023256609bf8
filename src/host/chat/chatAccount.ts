import { paidUsage } from '../usage/usageTable.ts';
import type { ChatAccount } from '../usage/requestAdmission.ts';
import type { OpenChat } from './openChat.ts';

/** The account of a chat: its usage so far, and where its requests count. */
export function accountOf(open: () => Pick<OpenChat, 'chat' | 'store'>): ChatAccount {
  return {
    id: () => open().chat.conversation.id,
    usage: () => paidUsage(open().chat.conversation),
    saved: () => open().store.flush(),
  };
}
