import assert from 'node:assert/strict';
import { ChatTaint, taintAfter, taintOf, type Taint } from '../../../../src/core/approval/taint.ts';
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

interface Opened {
  conversation: Conversation;
  readonly onDidReplace: Event<unknown>;
}

const isOwn = (name: string): boolean => name === 'read_file';

describe('taintAfter', () => {
  const categories = ['read', 'edit', 'run'] as const;
  const states: readonly Taint[] = ['clean', 'tainted'];

  it('is tainted by an external tool, and by no other', () => {
    for (const state of states) {
      assert.equal(taintAfter(state, { type: 'call', category: 'external' }), 'tainted');
      for (const category of categories)
        assert.equal(taintAfter(state, { type: 'call', category }), state);
    }
  });

  it('is that of another chat after a switch', () => {
    for (const state of states) {
      for (const taint of states) assert.equal(taintAfter(state, { type: 'chat', taint }), taint);
    }
  });
});

describe('ChatTaint', () => {
  it('stays tainted until another chat comes', () => {
    const taint = new ChatTaint();
    assert.equal(taint.isTainted, false);
    taint.note({ type: 'call', category: 'external' });
    taint.note({ type: 'call', category: 'read' });
    assert.equal(taint.isTainted, true);
    taint.note({ type: 'chat', taint: 'clean' });
    assert.equal(taint.isTainted, false);
  });

  it('is determined for the open chat, and for each that is opened later', () => {
    const replaced = new Emitter<unknown>();
    const tainted = { ...emptyConversation('a'), turns: [turn(call('sample_echo'))] };
    const chat: Opened = { conversation: tainted, onDidReplace: replaced.event };
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

describe('taintOf', () => {
  it('finds results of external tools in a chat, including its running turn', () => {
    const clean = turn(call('read_file'));
    const tainted = turn(call('read_file'), call('sample_echo', { status: 'failed' }));
    assert.equal(
      taintOf({ ...emptyConversation('c'), turns: [], running: undefined }, isOwn),
      'clean',
    );
    assert.equal(
      taintOf({ ...emptyConversation('c'), turns: [clean], running: clean }, isOwn),
      'clean',
    );
    assert.equal(
      taintOf({ ...emptyConversation('c'), turns: [clean, tainted], running: undefined }, isOwn),
      'tainted',
    );
    assert.equal(
      taintOf({ ...emptyConversation('c'), turns: [clean], running: tainted }, isOwn),
      'tainted',
    );
  });

  it('is not changed by calls that were denied or never started', () => {
    const denied = call('sample_echo', { status: 'denied' });
    const waiting = call('sample_echo', { startedAt: undefined, status: 'stopped' });
    assert.equal(
      taintOf(
        { ...emptyConversation('c'), turns: [turn(denied, waiting)], running: undefined },
        isOwn,
      ),
      'clean',
    );
  });
});
