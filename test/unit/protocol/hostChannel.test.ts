import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emptyConversation } from '../../../src/core/conversation/conversation.ts';
import { Emitter } from '../../../src/core/support/emitter.ts';
import { ViewChannel } from '../../../src/protocol/channel.ts';
import { HostChannel } from '../../../src/protocol/hostChannel.ts';
import type { HostMessage, PanelState, ViewRequest } from '../../../src/protocol/messages.ts';

const state: PanelState = {
  connection: { kind: 'none' },
  model: { id: '', fromWorkspace: false, missing: false },
  settings: {},
  attachments: [],
  waiting: 0,
};

interface Rig {
  readonly host: HostChannel;
  readonly say: (message: unknown) => void;
  readonly posted: HostMessage[];
  readonly requests: ViewRequest[];
  readonly drafts: string[];
  readonly fromHost: Emitter<HostMessage>;
}

function rig(): Rig {
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
      snapshot: () => ({ conversation: emptyConversation('c'), state, draft: '', now: 0 }),
      request(request) {
        requests.push(request);
        return request.type === 'stop' ? Promise.reject(new Error('no')) : Promise.resolve();
      },
      draft: (text) => drafts.push(text),
      refusal: () => 'Not now.',
    },
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

  it('says nothing before the view is ready, and then everything', () => {
    const { host, say, posted } = rig();
    host.postEvent(delta('early'));
    host.postState(state);
    assert.equal(posted.length, 0);
    say({ type: 'ready' });
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

  it('does nothing at all for what is no message of the view', () => {
    const { say, posted, requests, drafts } = rig();
    fc.assert(
      fc.property(fc.anything(), (message) => say(message)),
      { numRuns: 10_000 },
    );
    const forged = [
      { type: 'request', id: 1, request: { type: 'approve', call: 'x' } },
      { type: 'request', id: 1, request: { type: 'run', command: 'removeApiKey' } },
      { type: 'request', id: 1, request: { type: 'run', command: 'aside.connect' } },
      { type: 'request', id: 1, request: { type: 'setBaseUrl', url: 'https://evil.test' } },
      { type: 'request', id: 1, request: { type: 'set-options', options: { temperature: 9 } } },
      { type: 'request', id: 1, request: { type: 'readFile', path: '/etc/passwd' } },
      { type: 'request', id: 1, request: { type: 'send', text: 'x', extra: 1 } },
    ];
    for (const message of forged) say(message);
    assert.deepEqual([posted, requests, drafts], [[], [], []]);
  });

  it('settles each request of the view exactly once', async () => {
    const { say, fromHost, requests } = rig();
    const view = new ViewChannel({ post: say, listen: fromHost.event }, () => undefined);
    await view.request({ type: 'send', text: 'Hello' });
    await assert.rejects(view.request({ type: 'stop' }), /Not now/);
    assert.deepEqual(requests, [{ type: 'send', text: 'Hello' }, { type: 'stop' }]);
  });

  it('lets no request of a closed view wait for ever', async () => {
    const view = new ViewChannel(
      { post: () => undefined, listen: () => ({ dispose: () => undefined }) },
      () => undefined,
    );
    const waiting = view.request({ type: 'stop' });
    view.dispose();
    await assert.rejects(waiting, /closed/);
  });
});
