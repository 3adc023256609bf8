import assert from 'node:assert/strict';
import {
  emptyConversation,
  type Conversation,
} from '../../../../src/core/conversation/conversation.ts';
import { Composer } from '../../../../src/host/attachments/composer.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { MessageQueue } from '../../../../src/host/chat/messageQueue.ts';
import { look, toolRig } from '../../../support/toolTurn.ts';
import { FakeMemento } from '../fakes.ts';

const userMessage = (text: string) => ({ text, attachments: [] });

function queueOf(
  chat: Chat,
  state = new FakeMemento(),
  restoreToDraft: (text: string) => void = () => undefined,
  onRefused: (error: unknown) => void = assert.ifError,
): MessageQueue {
  const composer = new Composer(state, () => Promise.resolve(true));
  return new MessageQueue({ chat, composer, restoreToDraft, onRefused, state });
}

function rig() {
  const tools = toolRig({
    list: [look],
    maxRounds: 1,
    script: [[['look', { name: 'a' }]], 'First.', 'Second.', 'Third.'],
  });
  const queue = queueOf(tools.chat);
  const restoreOther = async (conversation: Conversation): Promise<void> => {
    tools.chat.restoreWith(() => Promise.resolve(conversation));
    await tools.chat.restored();
  };
  const add = (text: string): void => queue.add(userMessage(text), 'mistral/mistral-small');
  return { ...tools, queue, add, restoreOther };
}

describe('MessageQueue', () => {
  it('sends messages in order, each when the previous turn has finished', async () => {
    const { chat, queue, add, ask, happens } = rig();
    const first = ask('one');
    await happens('turn-pause');
    add('two');
    add('three');
    assert.deepEqual(
      queue.messages.map(({ text }) => text),
      ['two', 'three'],
    );
    chat.resume();
    await first;
    await happens('turn-end');
    await happens('turn-end');
    assert.deepEqual(
      chat.conversation.turns.map((turn) => turn.question.text),
      ['one', 'two', 'three'],
    );
    assert.deepEqual(queue.messages, []);
  });

  it('waits after a turn that was stopped, until the next is requested', async () => {
    const { chat, queue, add, ask, happens } = rig();
    const first = ask('one');
    await happens('turn-pause');
    add('two');
    add('never');
    chat.stop();
    await first;
    queue.remove(queue.messages[1]?.id ?? '');
    assert.deepEqual(
      queue.messages.map(({ text }) => text),
      ['two'],
    );
    queue.next();
    await happens('turn-end');
    assert.equal(chat.conversation.turns[1]?.question.text, 'two');
    queue.next();
    assert.equal(chat.isRunning, false);
  });

  it('restores its messages after a reload, with attachments, and waits', async () => {
    const state = new FakeMemento();
    const { chat } = rig();
    const attachment = { id: 'a', name: 'a', path: 'a', language: 'plaintext', text: 'x' };
    const before = queueOf(chat, state);
    before.add({ text: 'one', attachments: [attachment] }, 'm');
    before.add(userMessage('two'), 'm');
    const { chat: later, restoreOther } = rig();
    const refused: unknown[] = [];
    const after = queueOf(later, state, undefined, (error) => refused.push(error));
    await restoreOther(chat.conversation);
    assert.deepEqual(
      after.messages.map(({ text }) => text),
      ['one', 'two'],
    );
    const sent: unknown[] = [];
    later.send = (message) => {
      sent.push(message.attachments);
      return Promise.reject(new Error('not sent'));
    };
    after.next();
    await new Promise(setImmediate);
    assert.deepEqual(refused.map(String), ['Error: not sent']);
    assert.deepEqual(JSON.parse(JSON.stringify(sent)), [[attachment]]);
    assert.deepEqual(
      after.messages.map(({ text }) => text),
      ['one', 'two'],
      'A message that is refused waits at its place.',
    );
  });

  it('moves its messages to the draft if another chat is open after a reload', async () => {
    const state = new FakeMemento();
    const { chat } = rig();
    queueOf(chat, state).add(userMessage('one'), 'm');
    const { chat: later, restoreOther } = rig();
    const sentTexts: string[] = [];
    const after = queueOf(later, state, (text) => sentTexts.push(text));
    await restoreOther(emptyConversation('other'));
    assert.deepEqual([sentTexts, after.messages], [['one'], []]);
  });
});
