import assert from 'node:assert/strict';
import { ChatTaint, isTaintedChat } from '../../../../src/core/approval/taint.ts';
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
  it('is tainted by an external tool until another chat is opened', () => {
    const replaced = new Emitter<unknown>();
    const taint = new ChatTaint();
    taint.follow({ conversation: emptyConversation('a'), onDidReplace: replaced.event }, isOwn);
    assert.equal(taint.isTainted, false);
    taint.noteExternalCall();
    assert.equal(taint.isTainted, true);
    replaced.fire(undefined);
    assert.equal(taint.isTainted, false);
  });

  it('is determined for the open chat, and for each chat opened later', () => {
    const replaced = new Emitter<unknown>();
    const tainted = { ...emptyConversation('a'), turns: [turn(call('sample_echo'))] };
    const chat: OpenChat = { conversation: tainted, onDidReplace: replaced.event };
    const taint = new ChatTaint();
    const following = taint.follow(chat, isOwn);
    assert.equal(taint.isTainted, true);
    chat.conversation = emptyConversation('b');
    replaced.fire(undefined);
    assert.equal(taint.isTainted, false);
    following.dispose();
    chat.conversation = tainted;
    replaced.fire(undefined);
    assert.equal(taint.isTainted, false);
  });
});

describe('isTaintedChat', () => {
  it('finds results of external tools in a chat, including its running turn', () => {
    const clean = turn(call('read_file'));
    const tainted = turn(call('read_file'), call('sample_echo', { status: 'failed' }));
    assert.equal(isTaintedChat({ ...emptyConversation('c'), turns: [] }, isOwn), false);
    assert.equal(
      isTaintedChat({ ...emptyConversation('c'), turns: [clean], running: clean }, isOwn),
      false,
    );
    assert.equal(
      isTaintedChat(
        { ...emptyConversation('c'), turns: [clean, tainted], running: undefined },
        isOwn,
      ),
      true,
    );
    assert.equal(
      isTaintedChat({ ...emptyConversation('c'), turns: [clean], running: tainted }, isOwn),
      true,
    );
  });

  it('ignores calls that were denied or never started', () => {
    const denied = call('sample_echo', { status: 'denied' });
    const waiting = call('sample_echo', { startedAt: undefined, status: 'stopped' });
    assert.equal(
      isTaintedChat(
        { ...emptyConversation('c'), turns: [turn(denied, waiting)], running: undefined },
        isOwn,
      ),
      false,
    );
  });
});
