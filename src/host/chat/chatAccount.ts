import { paidUsage } from '../usage/usageByModel.ts';
import type { ChatAccount } from '../usage/requestAdmission.ts';
import type { OpenChat } from './openChat.ts';

/** The account of a chat: its usage so far, and the budgets its requests count in. */
export function accountOf(open: () => OpenChat): ChatAccount {
  return {
    id: () => open().chat.conversation.id,
    turn: () => open().chat.conversation.running?.id,
    usage: () => paidUsage(open().chat.conversation),
    saved: () => open().store.flush(),
  };
}
