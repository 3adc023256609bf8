import assert from 'node:assert/strict';
import fc from 'fast-check';
import { setImmediate as nextTick } from 'node:timers/promises';
import {
  turnText,
  type Turn,
  type TurnError,
} from '../../../../src/core/conversation/conversation.ts';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { sideChatEvents } from '../../../../src/core/history/chatImport.ts';
import { requestBody } from '../../../../src/core/service/requestExtras.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { testChat } from '../chat/openChatRig.ts';
import type { ServiceAccess } from '../../../../src/host/service/serviceAccess.ts';
import type { Connection } from '../../../../src/host/service/connection.ts';
import type { Keys } from '../../../../src/host/service/keys.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import { readSettings } from '../../../../src/host/platform/settingValues.ts';
import type { Ledger } from '../../../../src/host/usage/ledger.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import { paidUsage, totalOf } from '../../../../src/host/usage/usageByModel.ts';
import {
  localFetch,
  createService,
  demoKey,
  type LocalService,
} from '../../../../src/local/service.ts';
import { isObject } from '../../../../src/core/support/json.ts';
import { currentSettings } from '../../../support/currentSettings.ts';
import type { ManualClock } from '../../../support/manualClock.ts';
import { modelAnswering } from '../../../support/modelSaying.ts';
import { look, usualLimits } from '../../../support/toolTurn.ts';
import { runs } from '../../../support/sample.ts';
import { miscountOf, watchBilling } from '../../../walk/tokens.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento, type FakeSecrets } from '../fakes.ts';
import { ConnectionRig } from './rig.ts';
import { accountOf, ledgerOf, MemoryLog } from '../usage/usageRig.ts';

const { ServiceAccess: ServiceAccessClass } = await withoutVsCode(
  () => import('../../../../src/host/service/serviceAccess.ts'),
);

const model = 'mistral/mistral-small';
const origin = 'https://api.test';

interface Rig {
  readonly chat: Chat;
  /** Opens another chat of the window. */
  readonly openChat: () => Chat;
  readonly access: ServiceAccess;
  readonly secrets: FakeSecrets;
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly log: MemoryLog;
  readonly service: LocalService;
  readonly clock: ManualClock;
  readonly connection: Connection;
  readonly ask: () => ReturnType<Chat['send']>;
}

/** A model that calls a tool repeatedly, in a chat with everything that sends requests. */
async function rig(budget: unknown = {}, models: unknown = {}): Promise<Rig> {
  const connecting = new ConnectionRig();
  const { clock, connection, keys, redactor, secrets } = connecting;
  let names = 0;
  const script = modelAnswering({
    'Look around.': [
      ...Array.from({ length: 30 }, () => [['look', { name: `n${names++}` }]] as const),
      'Done.',
    ],
  });
  const service = createService({ clock, pace: 0, script });
  connecting.answer = localFetch(service);
  await keys.store(origin, demoKey);
  const stored = { 'aside.budget': budget, 'aside.models': models };
  const values = readSettings(
    (id) => ({ globalValue: Object.entries(stored).find(([name]) => name === id)?.[1] }),
    (id) => assert.ok(false, id),
  );
  connecting.settings.set({ ...values, baseUrl: `${origin}/v1` });
  const settings = currentSettings(() => connecting.settings.values);
  const log = new MemoryLog();
  const ledger = ledgerOf(log, clock);
  const access = new ServiceAccessClass(
    { settings, errors: { text: describeError }, log: { error: () => undefined }, redactor },
    connecting.parts,
    ledger,
    new TokenRatios(new FakeMemento()),
    clock,
  );
  const toolbox = new Toolbox([look], { clock, redactor, onError: assert.ifError });
  const openChat = (): Chat => {
    const opened: Chat = testChat({
      clock,
      meter: access.meter,
      describe: (error, of) => access.describe(error, of),
      connect: () => access.connect('chat', model, opened.account),
      asSent: (request) => access.asSent(request, opened.account),
      tools: () => Promise.resolve({ toolbox, ...usualLimits, maxRounds: 40 }),
    });
    return opened;
  };
  const chat = openChat();
  const ask = (): ReturnType<Chat['send']> =>
    chat.send({ text: 'Look around.', attachments: [] }, model);
  return { chat, openChat, access, secrets, keys, ledger, log, service, clock, connection, ask };
}

function describeError(error: unknown): TurnError {
  if (error instanceof ServiceError) return { kind: error.kind, message: error.message };
  assert.ok(error instanceof UserError, String(error));
  return { kind: 'refused', message: error.message, remedy: error.remedy };
}

function onEvent(chat: Chat, type: ConversationEvent['type'], act: (count: number) => void): void {
  let count = 0;
  chat.onDidChange((change) => {
    if (change.type === 'event' && change.event.type === type) act(++count);
  });
}

describe('a side chat', () => {
  const hello = { text: 'Hello', attachments: [] };

  it('and its chat count what the service bills, whatever is sent and stopped', async () => {
    const action = fc.constantFrom('main', 'side', 'stop main', 'stop side', 'wait', 'wait long');
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
        const { chat, openChat, service, clock, ledger, log } = await rig();
        const billed = watchBilling(service);
        await clock.advanceUntil(chat.send(hello, model));
        const side = openChat();
        side.show(sideChatEvents(chat.conversation, 'Why?'));
        const sent: Promise<Turn>[] = [];
        for (const name of actions) {
          const about = name.endsWith('side') ? side : chat;
          if (name.startsWith('wait')) await clock.advance(name === 'wait' ? 90 : 2000);
          else if (name.startsWith('stop')) about.stop();
          else {
            service.faults.push({ kind: 'slow', pace: 50 });
            sent.push(about.send(hello, model));
          }
          await nextTick();
        }
        for (const turn of sent) await clock.advanceUntil(turn);
        await ledger.close();
        assert.equal(miscountOf(log.all, billed), undefined);
        const { requests } = totalOf(ledger.today);
        assert.equal(requests, billed.length);
        const ofChats = [chat, side].map(({ conversation }) =>
          [...paidUsage(conversation).values()].reduce((sum, used) => sum + used.total_tokens, 0),
        );
        assert.equal(totalOf(ledger.today).total_tokens, (ofChats[0] ?? 0) + (ofChats[1] ?? 0));
      }),
      { numRuns: runs(100, 10), seed: 5 },
    );
  });
});

describe('tools that a model refuses', () => {
  for (const [purpose, requests] of [
    ['chat', 2],
    ['provider:some.extension', 1],
  ] as const)
    it(`are ${requests === 2 ? 'left out' : 'kept'} in a request for ${purpose}`, async () => {
      const { access, service } = await rig();
      service.faults.push({ kind: 'status', status: 400, message: 'No tools.' });
      const { client } = await access.connect(purpose, model);
      const sent = client.stream({
        model,
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [{ type: 'function', function: { name: 'look' } }],
      });
      const types: string[] = [];
      const received = async (): Promise<void> => {
        for await (const { type } of sent) types.push(type);
      };
      if (requests === 1) await assert.rejects(received(), ServiceError);
      else await received();
      assert.equal(types.includes('end'), requests === 2);
      assert.equal(service.requests.length, requests);
    });
});

describe('a key that is removed', () => {
  it('is no longer sent by a turn with tools', async () => {
    const { chat, keys, service, ask } = await rig();
    onEvent(chat, 'tool-call-result', (count) => {
      if (count === 2) void keys.remove(origin);
    });
    const turn = await ask();
    assert.deepEqual([turn.error?.kind, turn.status], ['missing-key', 'cut']);
    assert.deepEqual([service.requests.length, turn.usage?.requests], [2, 2]);
  });

  it('is not sent with the next attempt', async () => {
    const { chat, keys, service, clock, ask } = await rig();
    service.faults.push({ kind: 'status', status: 503 });
    onEvent(chat, 'request-retry', () => void keys.remove(origin));
    assert.equal((await clock.advanceUntil(ask())).error?.kind, 'missing-key');
    assert.equal(service.requests.length, 1);
  });

  it('is no longer sent if another window removed it', async () => {
    const { chat, secrets, service, ask } = await rig();
    onEvent(chat, 'tool-call-result', (count) => {
      if (count === 2) void secrets.delete(`aside.key:${origin}`);
    });
    assert.equal((await ask()).error?.kind, 'missing-key');
    assert.equal(service.requests.length, 2);
  });
});

describe('a key of another service, which is still being read', () => {
  const other = 'sk-other-0123456789abcdefghij';

  /** A rig whose storage returns the key of another service when the test says so. */
  async function slowRig(): Promise<Rig & { readonly resolveKey: () => void }> {
    const accessRig = await rig();
    const { secrets, keys } = accessRig;
    await keys.learned();
    const name = 'aside.key:https://other.test';
    const read = secrets.get.bind(secrets);
    let resolveKey = (): void => undefined;
    const keyWanted = new Promise<void>((resolve) => (resolveKey = resolve));
    secrets.get = async (wanted) => {
      if (wanted === name) await keyWanted;
      return read(wanted);
    };
    await secrets.store(name, other);
    return { ...accessRig, resolveKey };
  }

  it('delays every request until it is known', async () => {
    const { chat, service, resolveKey } = await slowRig();
    const asking = chat.send({ text: 'Hello', attachments: [] }, model);
    // Longer than the whole reply takes.
    for (let turn = 0; turn < 300; turn++) await nextTick();
    assert.equal(service.requests.length, 0);
    resolveKey();
    assert.equal((await asking).status, 'finished');
    assert.equal(service.requests.length, 1);
  });

  it('does not delay the refusal of a message that is too large to check for keys', async () => {
    const { access } = await slowRig();
    const halves = ['x'.repeat(25_000_000), 'y'.repeat(25_000_000)];
    await assert.rejects(access.check(halves), /Not sent: the request is too large/);
  });

  it('delays the check of a message, which is then refused', async () => {
    const { access, clock, resolveKey } = await slowRig();
    const results: string[] = [];
    const checking = access.check([`My key is ${other}.`]).then(
      () => results.push('accepted'),
      (error: unknown) => results.push(error instanceof UserError ? 'refused' : String(error)),
    );
    await clock.advance(1000);
    assert.deepEqual(results, []);
    resolveKey();
    await checking;
    assert.deepEqual(results, ['refused']);
  });
});

describe('a request', () => {
  it("has the additions of its model's settings, as Next Request shows", async () => {
    const models = {
      [model]: { reasoningEffort: 'low', extraBody: { seed: 7 }, maxOutput: 300, maxTokens: 900 },
    };
    const { chat, service } = await rig({}, models);
    const bodies: unknown[] = [];
    service.onRequest(({ body }) => bodies.push(body));
    chat.setOptions({ maxTokens: 900 });
    const message = { text: 'Hello', attachments: [] };
    const next = requestBody((await chat.planRequest(message, model)).request);
    await chat.send(message, model);
    assert.deepEqual(bodies, [next]);
    assert.ok(isObject(next));
    const { reasoning_effort, seed, max_tokens } = next;
    assert.deepEqual([reasoning_effort, seed, max_tokens], ['low', 7, 300]);
  });

  it('is recorded before it is sent, and replaced by the reported usage', async () => {
    const { ledger, log, service, ask } = await rig();
    const recorded: number[] = [];
    service.onRequest(() =>
      recorded.push(log.all.filter((line) => line.includes('"sent"')).length),
    );
    const turn = await ask();
    await ledger.close();
    assert.deepEqual(
      recorded,
      recorded.map((_, index) => index + 1),
    );
    assert.equal(turn.usage?.requests, recorded.length);
    assert.equal(log.all.filter((line) => line.includes('"used"')).length, recorded.length);
    assert.deepEqual(ledger.session, ledger.today);
    assert.equal(totalOf(ledger.today).estimated, false);
    assert.equal(totalOf(ledger.today).total_tokens, turn.usage.total_tokens);
  });

  it('is counted equally by the chat and by the day, however it ends', async () => {
    const faults = [
      { kind: 'stall', after: 8 },
      { kind: 'cut', after: 9 },
      { kind: 'socket', after: 9 },
      { kind: 'error', after: 9 },
      { kind: 'error', after: 0 },
      { kind: 'status', status: 402 },
      { kind: 'silence' },
      { kind: 'html' },
      { kind: 'empty' },
      { kind: 'no-usage' },
    ] as const;
    for (const fault of faults) {
      const { chat, ledger, service, clock } = await rig();
      service.faults.push(fault);
      const turn = await clock.advanceUntil(chat.send({ text: 'Hello', attachments: [] }, model));
      const { total_tokens, requests } = totalOf(ledger.today);
      assert.equal(total_tokens, turn.usage?.total_tokens ?? 0, fault.kind);
      assert.equal(requests, turn.usage?.requests ?? 0, fault.kind);
      const isFree = ['status', 'html'].includes(fault.kind);
      const isOnlyError = fault.kind === 'error' && fault.after === 0;
      assert.equal(requests, isFree || isOnlyError ? 0 : 1, JSON.stringify(fault));
      if (isOnlyError) assert.equal(turnText(turn), '');
    }
  });

  it('of the demo counts toward no day and no budget', async () => {
    const { connection, ledger, log, chat } = await rig({ chat: 0, day: 0 });
    await connection.useDemo();
    const turn = await chat.send({ text: 'Hello', attachments: [] }, model);
    assert.equal(turn.status, 'finished');
    assert.equal(totalOf(ledger.session).total_tokens, turn.usage?.total_tokens);
    assert.ok(log.all.every((line) => line.includes('"demo":true')));
    assert.equal(chat.conversation.usage[model], undefined);
  });

  it('can be stopped while the disk hangs, and is then not sent', async () => {
    const { access, ledger, service } = await rig();
    const saved = new Promise<void>(() => undefined);
    const account = { ...accountOf('c'), saved: () => saved };
    const { client } = await access.connect('chat', model, account);
    const abort = new AbortController();
    const request = { model, messages: [{ role: 'user' as const, content: 'Hello' }] };
    const events = client.stream(request, abort.signal);
    assert.equal((await events.next()).value?.type, 'sent');
    const next = events.next();
    setImmediate(() => abort.abort());
    assert.deepEqual((await next).value, { type: 'usage', usage: zeroUsage });
    await assert.rejects(events.next(), { name: 'AbortError' });
    await ledger.close();
    assert.equal(service.requests.length, 0);
    assert.equal(ledger.today.size, 0);
  });

  it("that a budget refuses is reported once, during its turn; other errors aren't reported as such", async () => {
    const alerts = async (budget: unknown): Promise<readonly boolean[]> => {
      const { access, chat, service, ask } = await rig(budget);
      if (budget === undefined) service.faults.push({ kind: 'status', status: 401 });
      const busyStates: boolean[] = [];
      access.onDidExceedBudget(() => busyStates.push(chat.isBusy));
      assert.notEqual((await ask()).error, undefined);
      return busyStates;
    };
    for (const period of ['chat', 'day', 'month'])
      for (const limit of [0, 3000]) assert.deepEqual(await alerts({ [period]: limit }), [true]);
    assert.deepEqual(await alerts(undefined), []);
  });
});
