import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emptyConversation } from '../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import { adjacentTurns, windowAround } from '../../../src/core/conversation/window.ts';
import { Emitter } from '../../../src/core/support/event.ts';
import { HostChannel, type HostHandlers } from '../../../src/protocol/hostChannel.ts';
import type { HostMessage, ViewMessage } from '../../../src/protocol/messages.ts';
import type { Call } from '../../../src/protocol/rpc.ts';
import { longConversation } from '../../support/longJournal.ts';
import { runs } from '../../support/sample.ts';
import { unconnected } from '../../support/panelState.ts';
import { turnWith } from '../../support/turns.ts';

interface Rig {
  readonly host: HostChannel;
  readonly say: (message: unknown) => void;
  readonly posted: HostMessage[];
  readonly requests: Call[];
}

function rig(
  conversation = emptyConversation('c'),
  schedule?: (work: () => void) => void,
  prepare?: HostHandlers['prepare'],
): Rig {
  const fromView = new Emitter<unknown>();
  const posted: HostMessage[] = [];
  const requests: Call[] = [];
  const host = new HostChannel(
    {
      post: (message) => void posted.push(message),
      listen: fromView.event,
    },
    {
      prepare,
      snapshot: (turn) => ({
        ...windowAround(conversation, turn),
        state: unconnected,
        draft: '',
        now: 0,
      }),
      turns: (side, of) => adjacentTurns(conversation, side, of),
      call(call) {
        requests.push(call);
        return call.name === 'stop' ? Promise.reject(new Error('no')) : Promise.resolve();
      },
      refusal: () => 'Not now.',
    },
    schedule,
  );
  return { host, say: (message) => fromView.fire(message), posted, requests };
}

const delta = (text: string): { type: 'text-delta'; text: string; at: number } => ({
  type: 'text-delta',
  text,
  at: 0,
});

function types(messages: readonly HostMessage[]): string[] {
  return messages.map((message) => message.type);
}

describe('HostChannel', () => {
  it('focuses and marks words only in a loaded view', () => {
    const { host, say, posted } = rig();
    assert.equal(host.focus({ grabs: false }), false);
    host.showMatch('t', 'words');
    assert.equal(posted.length, 0);
    say({ type: 'ready' });
    assert.equal(host.focus({ grabs: false }), true);
    host.showMatch('t', 'words');
    assert.deepEqual(posted.slice(1), [
      { type: 'focus', grabs: false },
      { type: 'show-match', turn: 't', query: 'words' },
    ]);
  });

  it('posts everything once the view is ready, and nothing before', () => {
    const { host, say, posted } = rig();
    host.postEvent(delta('early'));
    host.postState(unconnected);
    assert.equal(posted.length, 0);
    say({ type: 'ready' });
    assert.deepEqual(types(posted), ['snapshot']);
  });

  it('handles a message when its chat is loaded, and loads nothing for an invalid one', async () => {
    const prepared: ViewMessage[] = [];
    let arrive = (): void => undefined;
    const ready = new Promise<void>((resolve) => (arrive = resolve));
    const { say, posted } = rig(emptyConversation('c'), undefined, (message) => {
      prepared.push(message);
      return ready;
    });
    say({ type: 'ready', turn: 5 });
    say({ type: 'ready' });
    assert.deepEqual([prepared, posted], [[{ type: 'ready' }], []]);
    arrive();
    await ready;
    assert.deepEqual(types(posted), ['snapshot']);
  });

  it('posts nothing to a closed view, even if an event was pending', () => {
    const due: (() => void)[] = [];
    const { host, say, posted } = rig(emptyConversation('c'), (work) => due.push(work));
    say({ type: 'ready' });
    host.postEvent({ type: 'turn-resume' });
    assert.equal(due.length, 1);
    host.dispose();
    for (const work of due) work();
    assert.deepEqual(types(posted), ['snapshot']);
  });

  it('sends the first event immediately, and merges text until it is acknowledged', () => {
    const { host, say, posted } = rig();
    say({ type: 'ready' });
    for (let count = 0; count < 10_000; count++) host.postEvent(delta('x'));
    say({ type: 'acknowledge' });
    say({ type: 'acknowledge' });
    const events = posted.filter((message) => message.type === 'events');
    assert.equal(events.length, 2);
    assert.deepEqual(
      events.map((message) => message.events),
      [[delta('x')], [delta('x'.repeat(9999))]],
    );
  });

  it('sends no traces of calls, in whatever message the calls are', () => {
    const call = { id: 'c', name: 'look', arguments: '{}', round: 1 };
    const trace = { service: 'https://a.test', call: { signature: 'SIGNED' } };
    const part = { type: 'tool-call', status: 'done', result: 'r', ...call, trace } as const;
    const turns = ['1', '2'].map((id) => ({ ...turnWith({ id, parts: [part] }), endedAt: 1 }));
    const [turn = turnWith()] = turns;
    const running = { ...turn, id: '3', status: 'calling' } as const;
    const { host, say, posted } = rig({ ...emptyConversation('c'), turns, running });
    say({ type: 'ready' });
    say({ type: 'turns', side: 'before', of: '2' });
    const outcome = 'denied';
    const events: readonly ConversationEvent[] = [
      { type: 'tool-call-start', call: { ...call, trace }, at: 1 },
      { type: 'tool-call-end', call: { ...call, trace, outcome } },
      { type: 'turn-import', turn: { ...turn, status: 'finished', endedAt: 1, parts: [part] } },
    ];
    for (const event of events) {
      host.postEvent(event);
      say({ type: 'acknowledge' });
    }
    assert.deepEqual(types(posted), ['snapshot', 'turns', 'events', 'events', 'events']);
    const text = JSON.stringify(posted);
    assert.equal(text.split('"name":"look"').length - 1, 7);
    assert.doesNotMatch(text, /SIGNED|a\.test/);
  });

  it('starts again when the view reloads', () => {
    const { host, say, posted } = rig();
    say({ type: 'ready' });
    host.postEvent(delta('a'));
    host.postEvent(delta('b'));
    say({ type: 'ready' });
    host.postEvent(delta('c'));
    assert.deepEqual(types(posted), ['snapshot', 'events', 'snapshot', 'events']);
  });

  it('sends a limited part of a long chat, and more turns on request', () => {
    const { say, posted } = rig(longConversation(5000, 4000));
    say({ type: 'ready' });
    say({ type: 'show', turn: 'turn-2000' });
    say({ type: 'turns', side: 'before', of: 'turn-4990' });
    say({ type: 'turns', side: 'after', of: 'gone' });
    assert.deepEqual(types(posted), ['snapshot', 'snapshot', 'turns']);
    for (const message of posted) assert.ok(JSON.stringify(message).length < 200_000);
    const [first, around, more] = posted;
    assert.ok(first?.type === 'snapshot' && around?.type === 'snapshot' && more?.type === 'turns');
    assert.equal(first.snapshot.conversation.turns.at(-1)?.id, 'turn-5000');
    assert.ok(around.snapshot.conversation.turns.some(({ id }) => id === 'turn-2000'));
    assert.equal(more.turns.at(-1)?.id, 'turn-4989');
    assert.equal(more.remaining + more.turns.length, 4989);
  });

  it('sends pending events before requested turns', () => {
    const { host, say, posted } = rig(longConversation(10, 100));
    say({ type: 'ready' });
    host.postEvent(delta('a'));
    host.postEvent(delta('b'));
    say({ type: 'turns', side: 'before', of: 'turn-5' });
    assert.deepEqual(types(posted), ['snapshot', 'events', 'events', 'turns']);
    // Both messages with events must be acknowledged before the next.
    say({ type: 'acknowledge' });
    host.postEvent(delta('c'));
    assert.equal(posted.length, 4);
    say({ type: 'acknowledge' });
    assert.deepEqual(types(posted).at(-1), 'events');
  });

  it('ignores invalid messages', () => {
    const { say, posted, requests } = rig();
    fc.assert(
      fc.property(fc.anything(), (message) => say(message)),
      { numRuns: runs(10_000) },
    );
    const call = { name: 'stop', parameters: {} };
    say({ type: 'call', id: '1', conversation: 'c', call });
    say({ type: 'call', conversation: 'c', call });
    assert.deepEqual([posted, requests], [[], []]);
  });

  it('only refuses a request that does not match its schema', () => {
    const { say, posted, requests } = rig();
    const forged = [
      { name: 'approve', parameters: { call: 'x' } },
      { name: 'run', parameters: { command: 'removeApiKey' } },
      { name: 'run', parameters: { command: 'aside.connect' } },
      { name: 'setBaseUrl', parameters: { url: 'https://evil.test' } },
      { name: 'set-options', parameters: { options: { temperature: 9 } } },
      { name: 'readFile', parameters: { path: '/etc/passwd' } },
      { name: 'send', parameters: { text: 'x', extra: 1 } },
      { name: 'send', parameters: { text: 'x' }, extra: 1 },
      { name: 'stop' },
      { name: 'constructor', parameters: {} },
      { name: '__proto__', parameters: {} },
    ];
    for (const call of forged) say({ type: 'call', id: 1, conversation: 'c', call });
    say({ type: 'call', id: 1, conversation: '', call: { name: 'stop', parameters: {} } });
    const refusal = { type: 'answer', id: 1, error: 'Not now.' };
    assert.deepEqual(
      posted,
      [...forged, ''].map(() => refusal),
    );
    assert.deepEqual(requests, []);
  });
});
