import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emptyConversation } from '../../../src/core/conversation/conversation.ts';
import { adjacentTurns, windowAround } from '../../../src/core/conversation/window.ts';
import { Emitter } from '../../../src/core/support/event.ts';
import { ViewChannel } from '../../../src/protocol/channel.ts';
import { HostChannel, type HostHandlers } from '../../../src/protocol/hostChannel.ts';
import type {
  CompletionItem,
  HostMessage,
  PanelState,
  ViewMessage,
  ViewRequest,
} from '../../../src/protocol/messages.ts';
import { longConversation } from '../../support/longJournal.ts';
import { runs } from '../../support/sample.ts';

const state: PanelState = {
  connection: { kind: 'none' },
  model: { id: '', fromWorkspace: false, missing: false },
  settings: {},
  attachments: [],
  cost: { tokens: 0, perCharacter: 0.25 },
  waiting: 0,
  queued: [],
};

function item(label: string): CompletionItem {
  return { id: `file ${label}`, label, icon: 'file' };
}

interface Rig {
  readonly host: HostChannel;
  readonly say: (message: unknown) => void;
  readonly posted: HostMessage[];
  readonly requests: ViewRequest[];
  readonly drafts: string[];
  readonly fromHost: Emitter<HostMessage>;
}

function rig(
  conversation = emptyConversation('c'),
  soon?: (work: () => void) => void,
  prepare?: HostHandlers['prepare'],
): Rig {
  const fromView = new Emitter<unknown>();
  const fromHost = new Emitter<HostMessage>();
  const posted: HostMessage[] = [];
  const requests: ViewRequest[] = [];
  const drafts: string[] = [];
  const host = new HostChannel(
    {
      post(message) {
        posted.push(message);
        fromHost.fire(message);
      },
      listen: fromView.event,
    },
    {
      prepare,
      snapshot: (turn) => ({ ...windowAround(conversation, turn), state, draft: '', now: 0 }),
      turns: (side, of) => adjacentTurns(conversation, side, of),
      find: (query) =>
        Promise.resolve(
          query === 'old' ? undefined : { query, places: [], start: 0, complete: true },
        ),
      request(request) {
        requests.push(request);
        return request.type === 'stop' ? Promise.reject(new Error('no')) : Promise.resolve();
      },
      complete: (_, query) =>
        Promise.resolve({
          items: [item(query)],
          ...(query === 'app'
            ? { later: [Promise.resolve(undefined), Promise.resolve([item('app'), item('App')])] }
            : {}),
        }),
      draft: ({ text }) => drafts.push(text),
      refusal: () => 'Not now.',
    },
    soon,
  );
  return { host, say: (message) => fromView.fire(message), posted, requests, drafts, fromHost };
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
  it('can put the cursor only into a view that is there', () => {
    const { host, say, posted } = rig();
    assert.equal(host.focus(), false);
    assert.equal(posted.length, 0);
    say({ type: 'ready' });
    assert.equal(host.focus(), true);
    assert.deepEqual(posted.at(-1), { type: 'focus' });
  });

  it('marks words only in a view that is there', () => {
    const { host, say, posted } = rig();
    host.showMatch('t', 'words');
    assert.equal(posted.length, 0);
    say({ type: 'ready' });
    host.showMatch('t', 'words');
    assert.deepEqual(posted.at(-1), { type: 'show-match', turn: 't', query: 'words' });
  });

  it('says nothing before the view is ready, and then everything', () => {
    const { host, say, posted } = rig();
    host.postEvent(delta('early'));
    host.postState(state);
    assert.equal(posted.length, 0);
    say({ type: 'ready' });
    assert.deepEqual(types(posted), ['snapshot']);
  });

  it('handles a message when what it needs is there, and prepares nothing for one that is invalid', async () => {
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

  it('posts nothing to a view that was closed before an event was due', () => {
    const due: (() => void)[] = [];
    const { host, say, posted } = rig(emptyConversation('c'), (work) => due.push(work));
    say({ type: 'ready' });
    host.postEvent({ type: 'turn-resume' });
    assert.equal(due.length, 1);
    host.dispose();
    for (const work of due) work();
    assert.deepEqual(types(posted), ['snapshot']);
  });

  it('sends the first event at once, and joins the text that comes before it is acknowledged', () => {
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

  it('starts over with a view that loads anew', () => {
    const { host, say, posted } = rig();
    say({ type: 'ready' });
    host.postEvent(delta('a'));
    host.postEvent(delta('b'));
    say({ type: 'ready' });
    host.postEvent(delta('c'));
    assert.deepEqual(types(posted), ['snapshot', 'events', 'snapshot', 'events']);
  });

  it('sends as much for each delta, however long the reply and the chat are', () => {
    const lengths = [1, 1000].map((turns) => {
      const { host, say, posted } = rig(longConversation(turns, 1000));
      say({ type: 'ready' });
      for (let count = 0; count < 1000; count++) {
        host.postEvent(delta('word'));
        say({ type: 'acknowledge' });
      }
      const events = posted.filter(({ type }) => type === 'events');
      assert.equal(events.length, 1000);
      return JSON.stringify(events).length;
    });
    assert.equal(lengths[0], lengths[1]);
  });

  it('shows a bounded part of a long chat, and hands out more of it next to a turn', () => {
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
    assert.equal(more.left + more.turns.length, 4989);
  });

  it('tells what happened before the turns that it led to', () => {
    const { host, say, posted } = rig(longConversation(10, 100));
    say({ type: 'ready' });
    host.postEvent(delta('a'));
    host.postEvent(delta('b'));
    say({ type: 'turns', side: 'before', of: 'turn-5' });
    assert.deepEqual(types(posted), ['snapshot', 'events', 'events', 'turns']);
    // Both messages of events must be acknowledged before the next.
    say({ type: 'acknowledge' });
    host.postEvent(delta('c'));
    assert.equal(posted.length, 4);
    say({ type: 'acknowledge' });
    assert.deepEqual(types(posted).at(-1), 'events');
  });

  it('answers with what was found, unless the host gave that up', async () => {
    const { say, posted } = rig();
    say({ type: 'ready' });
    say({ type: 'find', query: 'old' });
    say({ type: 'find', query: 'new' });
    await new Promise(setImmediate);
    assert.deepEqual(posted.slice(1), [
      { type: 'found', query: 'new', places: [], start: 0, complete: true },
    ]);
  });

  it('does nothing at all for what is no message of the view', () => {
    const { say, posted, requests, drafts } = rig();
    fc.assert(
      fc.property(fc.anything(), (message) => say(message)),
      { numRuns: runs(10_000) },
    );
    const forged = [
      { type: 'request', id: 1, conversation: 'c', request: { type: 'approve', call: 'x' } },
      {
        type: 'request',
        id: 1,
        conversation: 'c',
        request: { type: 'run', command: 'removeApiKey' },
      },
      {
        type: 'request',
        id: 1,
        conversation: 'c',
        request: { type: 'run', command: 'aside.connect' },
      },
      {
        type: 'request',
        id: 1,
        conversation: 'c',
        request: { type: 'setBaseUrl', url: 'https://evil.test' },
      },
      {
        type: 'request',
        id: 1,
        conversation: 'c',
        request: { type: 'set-options', options: { temperature: 9 } },
      },
      {
        type: 'request',
        id: 1,
        conversation: 'c',
        request: { type: 'readFile', path: '/etc/passwd' },
      },
      { type: 'request', id: 1, conversation: 'c', request: { type: 'send', text: 'x', extra: 1 } },
    ];
    for (const message of forged) say(message);
    assert.deepEqual([posted, requests, drafts], [[], [], []]);
  });

  it('settles each request of the view exactly once', async () => {
    const { say, fromHost, requests } = rig();
    const view = new ViewChannel({ post: say, listen: fromHost.event }, () => undefined);
    await view.request('c', { type: 'send', text: 'Hello' });
    await assert.rejects(view.request('c', { type: 'stop' }), /Not now/);
    assert.deepEqual(requests, [{ type: 'send', text: 'Hello' }, { type: 'stop' }]);
  });

  it('answers with completions, and again with what took longer', async () => {
    const { say, posted } = rig();
    say({ type: 'ready' });
    const ask = (id: number, query: string): void =>
      say({
        type: 'request',
        id,
        conversation: 'c',
        request: { type: 'complete', trigger: '@', query },
      });
    ask(1, 'app');
    await new Promise((resolve) => setImmediate(resolve));
    const told = posted.flatMap((message) =>
      message.type === 'completions' ? [message.items.map(({ label }) => label)] : [],
    );
    assert.deepEqual(told, [['app'], ['app', 'App']]);
    assert.ok(posted.some((message) => message.type === 'settled' && message.id === 1));
  });

  it('tells nothing more of completions when others were asked for', async () => {
    const { say, posted } = rig();
    say({ type: 'ready' });
    for (const [id, query] of ['app', 'apple'].entries()) {
      say({
        type: 'request',
        id,
        conversation: 'c',
        request: { type: 'complete', trigger: '@', query },
      });
    }
    await new Promise((resolve) => setImmediate(resolve));
    const told = posted.flatMap((message) =>
      message.type === 'completions' ? [message.items.length] : [],
    );
    assert.deepEqual(told, [1, 1]);
  });

  it('lets no request of a closed view wait for ever', async () => {
    const view = new ViewChannel(
      { post: () => undefined, listen: () => ({ dispose: () => undefined }) },
      () => undefined,
    );
    const waiting = view.request('c', { type: 'stop' });
    view.dispose();
    await assert.rejects(waiting, /closed/);
  });
});
