import assert from 'node:assert/strict';
import { ChatTaint, isTaintedChat } from '../../../../src/core/approval/grants.ts';
import {
  emptyConversation,
  type Conversation,
  type ToolCallPart,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { Emitter, type Event } from '../../../../src/core/support/event.ts';

function call(name: string, more: Partial<ToolCallPart> = {}): ToolCallPart {
  return {
    type: 'tool-call',
    id: name,
    name,
    arguments: '{}',
    round: 1,
    status: 'done',
    startedAt: 1,
    ...more,
  };
}

function turn(...parts: readonly ToolCallPart[]): Turn {
  const question = { text: '', attachments: [] };
  const times = { startedAt: 0, runningSince: 0, duration: 0 };
  return { id: 't', question, model: 'm', status: 'finished', parts, ...times };
}

interface OpenChat {
  conversation: Conversation;
  readonly onDidReplace: Event<unknown>;
}

const isOwn = (name: string): boolean => name === 'read_file';

describe('ChatTaint', () => {
  it('follows an external call, the open chat, and each chat opened later', () => {
    const replaced = new Emitter<unknown>();
    const tainted = { ...emptyConversation('a'), turns: [turn(call('sample_echo'))] };
    const chat: OpenChat = { conversation: tainted, onDidReplace: replaced.event };
    const taint = new ChatTaint();
    const following = taint.follow(chat, isOwn);
    assert.equal(taint.isTainted, true);
    chat.conversation = emptyConversation('b');
    replaced.fire(undefined);
    assert.equal(taint.isTainted, false);
    taint.noteExternalCall();
    assert.equal(taint.isTainted, true);
    replaced.fire(undefined);
    assert.equal(taint.isTainted, false);
    following.dispose();
    chat.conversation = tainted;
    replaced.fire(undefined);
    assert.equal(taint.isTainted, false);
  });
});

describe('isTaintedChat', () => {
  it('finds calls of external tools that ran, also in the running turn', () => {
    const isTainted = (turns: readonly Turn[], running?: Turn): boolean =>
      isTaintedChat({ ...emptyConversation('c'), turns, running }, isOwn);
    const waiting = call('sample_echo', { startedAt: undefined, status: 'stopped' });
    const clean = turn(call('read_file'), call('sample_echo', { status: 'denied' }), waiting);
    const tainted = turn(call('read_file'), call('sample_echo', { status: 'failed' }));
    assert.equal(isTainted([]), false);
    assert.equal(isTainted([clean], clean), false);
    assert.equal(isTainted([clean, tainted]), true);
    assert.equal(isTainted([clean], tainted), true);
  });
});
