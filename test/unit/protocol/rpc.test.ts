import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { emptyConversation } from '../../../src/core/conversation/conversation.ts';
import { windowAround } from '../../../src/core/conversation/window.ts';
import { Emitter } from '../../../src/core/support/event.ts';
import { ViewChannel } from '../../../src/protocol/channel.ts';
import { HostChannel, type HostHandlers } from '../../../src/protocol/hostChannel.ts';
import type { HostMessage } from '../../../src/protocol/messages.ts';
import type { Answer } from '../../../src/protocol/call.ts';
import {
  callSchema,
  type Call,
  type CallParameters,
  type CallResults,
} from '../../../src/protocol/rpc.ts';
import { runs } from '../../support/sample.ts';
import { unconnected } from '../../support/panelState.ts';

const snapshot = { ...windowAround(emptyConversation('c')), state: unconnected, draft: '', now: 0 };

type PanelChannel = ViewChannel<CallParameters, CallResults, HostMessage>;

const settled = (): Promise<void> => new Promise(setImmediate);

interface Work {
  readonly id: string;
  readonly resolve: (value: string) => void;
  readonly reject: (error: Error) => void;
}

/** A page and its host. The test delivers their messages one by one, in order. */
class Rig {
  readonly #fromView = new Emitter<unknown>();
  readonly #toHost: unknown[] = [];
  readonly #toView: HostMessage[] = [];
  readonly #host: HostChannel;
  #fromHost = new Emitter<HostMessage>();
  #page = this.#load();
  /** True if the page shows a chat, so that it can send requests. */
  #hasChat = false;
  #isHostClosed = false;
  #last: HostMessage | undefined;
  /** Requests that the host is handling. */
  readonly #work: Work[] = [];
  /** Answers by the id of their request. */
  readonly answers = new Map<string, Answer<string | undefined>[]>();
  /** Ids of the requests of the current page. */
  requests: string[] = [];

  constructor() {
    const handlers: HostHandlers = {
      snapshot: () => snapshot,
      turns: () => undefined,
      call: ({ name, parameters }) =>
        new Promise((resolve, reject) => {
          assert.ok(name === 'read-attachment');
          this.#work.push({ id: parameters.attachment, resolve, reject });
        }),
      refusal: String,
    };
    this.#host = new HostChannel({ post: this.#post, listen: this.#fromView.event }, handlers);
  }

  readonly #post = (message: HostMessage): void => {
    assert.ok(!this.#isHostClosed, 'The host posts to a closed page.');
    this.#toView.push(message);
  };

  #load(): PanelChannel {
    this.#fromHost = new Emitter<HostMessage>();
    const port = {
      post: (message: unknown) => void this.#toHost.push(message),
      listen: this.#fromHost.event,
    };
    port.post({ type: 'ready' });
    return new ViewChannel(port, ({ type }) => (this.#hasChat ||= type === 'snapshot'));
  }

  ask(): void {
    if (!this.#hasChat) return;
    const id = `request ${this.answers.size}`;
    const answers: Answer<string | undefined>[] = [];
    this.answers.set(id, answers);
    this.requests.push(id);
    void this.#page
      .call('read-attachment', { attachment: id }, 'c')
      .then((answer) => answers.push(answer));
  }

  toHost(): void {
    if (this.#toHost.length > 0) this.#fromView.fire(this.#toHost.shift());
  }

  toView(): void {
    this.#last = this.#toView.shift() ?? this.#last;
    if (this.#last !== undefined) this.#fromHost.fire(this.#last);
  }

  finish(index: number): void {
    const [work] = this.#work.splice(index % this.#work.length, 1);
    work?.resolve(work.id);
  }

  fail(index: number): void {
    const [work] = this.#work.splice(index % this.#work.length, 1);
    work?.reject(new Error(work.id));
  }

  /** Replaces the page, as VS Code does when a hidden page is shown. The old page receives nothing more. */
  reload(): void {
    this.#hasChat = false;
    this.requests = [];
    this.#page = this.#load();
  }

  forge(index: number): void {
    const answers = [{ id: index, value: 'forged' }, { id: -1 }, { id: index, error: 'forged' }];
    const call = { name: 'read-attachment', parameters: { attachment: index } };
    // The host refuses this request, under an id that no request of the page has.
    this.#fromView.fire({ type: 'call', id: -1 - index, conversation: 'c', call });
    this.#fromView.fire({ type: 'answer', ...answers[index % answers.length] });
  }

  closeHost(): void {
    this.#isHostClosed = true;
    this.#host.dispose();
  }

  async end(): Promise<void> {
    while (this.#toHost.length > 0) this.toHost();
    await settled();
    while (this.#work.length > 0) this.finish(0);
    await settled();
    while (this.#toView.length > 0) this.toView();
    await settled();
    this.#page.dispose();
    await settled();
  }
}

/** Values, one of which is valid for each parameter that is not an enum. */
const values: readonly unknown[] = [undefined, 'pasted-1', 1, true, [], {}];

/** All requests with valid parameters. */
const samples = callSchema.def.options.map(({ shape: { name, parameters } }) => {
  const sample = Object.entries<z.core.$ZodType>(parameters.shape).map(([key, schema]) => {
    const candidates = [...values, ...(schema._zod.values ?? [])];
    return [key, candidates.find((value) => z.safeParse(schema, value).success)] as const;
  });
  const [value] = name.def.values;
  return callSchema.parse({ name: value, parameters: Object.fromEntries(sample) });
});

const step = fc.record({
  act: fc.constantFrom(
    ...(['ask', 'ask', 'ask', 'toHost', 'toHost', 'toView', 'toView', 'toView'] as const),
    ...(['finish', 'finish', 'fail', 'reload', 'forge'] as const),
  ),
  index: fc.nat(5),
  isSettled: fc.boolean(),
});

describe('a request of the page', () => {
  it('gets exactly one answer, its own, in any order of events', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.option(fc.nat(60)),
        async (steps, closedAt) => {
          const rig = new Rig();
          rig.toHost();
          rig.toView();
          for (const [number, { act, index, isSettled }] of steps.entries()) {
            if (number === closedAt) rig.closeHost();
            rig[act](index);
            if (isSettled) await settled();
          }
          await rig.end();
          for (const [id, answers] of rig.answers) {
            const closed = { error: 'The panel was closed.' };
            const possible = [{ ok: id }, { error: `Error: ${id}` }, closed];
            for (const answer of answers)
              assert.ok(
                possible.some((candidate) => JSON.stringify(candidate) === JSON.stringify(answer)),
              );
            const most = answers.length <= 1;
            assert.ok(rig.requests.includes(id) ? answers.length === 1 : most, `${answers.length}`);
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('is settled immediately when the page is closed', async () => {
    const none = {
      post: () => assert.fail('posted'),
      listen: () => ({ dispose: () => undefined }),
    };
    const page: PanelChannel = new ViewChannel(none, () => undefined);
    page.dispose();
    assert.deepEqual(await page.call('stop', {}, 'c'), { error: 'The panel was closed.' });
  });

  it("fails if its chat can't be loaded", async () => {
    const answer = await answerTo(
      { name: 'stop', parameters: {} },
      {
        prepare: () => Promise.reject(new Error('Not read.')),
        call: () => assert.fail('handled'),
      },
    );
    assert.deepEqual(answer, { error: 'Error: Not read.' });
  });

  for (const sample of samples)
    it(`fails with the error of its handler: ${sample.name}`, async () => {
      const answer = await answerTo(sample, {
        call: (call) => Promise.reject(new Error(call.name)),
      });
      assert.deepEqual(answer, { error: `Error: ${sample.name}` });
    });
});

/** Sends a request to a host with these handlers. */
function answerTo(
  { name, parameters }: Call,
  handlers: Pick<HostHandlers, 'prepare' | 'call'>,
): Promise<Answer<unknown>> {
  const fromHost = new Emitter<HostMessage>();
  const fromView = new Emitter<unknown>();
  const others = { snapshot: () => snapshot, turns: () => undefined, refusal: String };
  const port = { post: (message: HostMessage) => fromHost.fire(message), listen: fromView.event };
  const host = new HostChannel(port, { ...others, ...handlers });
  const post = (message: unknown): void => fromView.fire(message);
  const end = { post, listen: fromHost.event };
  const page: PanelChannel = new ViewChannel(end, () => undefined);
  return page.call(name, parameters, 'c').finally(() => host.dispose());
}
