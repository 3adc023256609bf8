import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emptyConversation,
  type Conversation,
} from '../../../../src/core/conversation/conversation.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { wholeEvents } from '../../../../src/core/conversation/events.ts';
import { UsedChat } from './usedChat.ts';

const usage = { ...zeroUsage, prompt_tokens: 5, total_tokens: 5, requests: 1 };

const preset = { isOwn: true, workspace: '', path: '/p', name: 'Plan', text: 'Plan.', instead: '' };

/** What a person and the host do to a chat. */
const steps: Readonly<Record<string, (chat: UsedChat) => void>> = {
  send: (chat) => void chat.send('More?'),
  fail: (chat) => chat.send('Fail?', { ends: false }) && chat.end('failed'),
  resend(chat) {
    const { id } = chat.conversation.turns.at(-1) ?? {};
    if (id !== undefined) chat.resend(id, 'Again?');
  },
  options: (chat) => chat.play({ type: 'options-change', options: { temperature: 0.5 } }),
  preset: (chat) => chat.play({ type: 'preset-change', preset }),
  title: (chat) => chat.play({ type: 'title-change', title: 'Rain' }),
  pin: (chat) => chat.play({ type: 'pin-change', pinned: true }),
  exclude: (chat) => chat.play({ type: 'part-choice', parts: ['tool:a'], choice: 'left-out' }),
  demo: (chat) => chat.play({ type: 'chat-usage', model: 'demo', usage, demo: true }),
  shorten(chat) {
    const upTo = chat.conversation.turns.at(-1)?.id;
    if (upTo === undefined) return;
    const summary = { id: `s${chat.events.length}`, text: 'Rain.', upTo, model: 'm', at: 4 };
    chat.play({ type: 'chat-shorten', summary, usage });
  },
  useMessages(chat) {
    const summary = chat.conversation.summaries?.[0]?.id;
    if (summary !== undefined) chat.play({ type: 'summary-use', summary, used: false });
  },
};

describe('the events of a whole conversation', () => {
  it('lead to the same conversation, whatever led to it', () => {
    const actions = fc.array(fc.constantFrom(...Object.values(steps)), { maxLength: 20 });
    fc.assert(
      fc.property(actions, (list) => {
        const chat = new UsedChat();
        for (const act of list) act(chat);
        const { conversation } = chat;
        const anew = wholeEvents(conversation).reduce(reduce, emptyConversation('c'));
        const expected: Conversation =
          conversation.others === undefined ? conversation : { ...conversation, importedUsage: {} };
        assert.deepEqual(definedIn(anew), definedIn(expected));
      }),
    );
  });
});

function definedIn(conversation: Conversation): unknown {
  return JSON.parse(JSON.stringify(conversation));
}
