import assert from 'node:assert/strict';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { AnswerMessage, StateMessage } from '../../../../src/protocol/call.ts';
import { usageCall, type UsageOverview } from '../../../../src/protocol/usageMessages.ts';
import { readSettings } from '../../../../src/host/settingValues.ts';
import type { Ledger } from '../../../../src/host/usage/ledger.ts';
import { Budgets } from '../../../../src/host/usage/budgets.ts';
import { paidUsage } from '../../../../src/host/usage/usageTable.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { accountOf, contextOf, ledgerOf, MemoryLog, planned, usageOf } from './usageRig.ts';

const vscode = `
  export const commands = {};
  export const env = { language: 'en' };
  export const l10n = { t: (text) => text };
  export const Uri = { joinPath: () => undefined };
`;
const { createUsageTab, commands } = await withFakeVsCode(vscode, async () => ({
  ...(await import('../../../../src/host/usage/usageTab.ts')),
  ...(await import('vscode')),
}));

/** An open tab, whose page the test controls. */
function rig(budget: unknown = {}, titles = Promise.resolve(new Map([['c', 'My chat']]))) {
  const executed: unknown[] = [];
  Object.assign(commands, { executeCommand: (...call: unknown[]) => executed.push(call) });
  const fail = (what: unknown): never => assert.fail(String(what));
  const values = readSettings(
    (id) => (id === 'aside.budget' ? { globalValue: budget } : undefined),
    fail,
  );
  const ledger = ledgerOf(new MemoryLog());
  const conversation = {
    ...emptyConversation('c'),
    usage: { m: usageOf(30) },
    demoUsage: { 'demo/guide': usageOf(7) },
  };
  const account = accountOf('c', paidUsage(conversation));
  const budgets = new Budgets({
    log: ledger.log,
    settings: () => values.budget,
    nameOf: () => undefined,
    context: () => contextOf(() => undefined),
  });
  const fromPage = new Emitter<unknown>();
  const nothing = { dispose: () => undefined };
  const onDidChange = (): typeof nothing => nothing;
  const tab: unknown = Reflect.apply(createUsageTab, undefined, [
    { context: {}, errors: { refusal: String }, log: { error: fail } },
    () => fromPage.event,
    {
      ledger,
      settings: { current: () => values, onDidChange },
      budgets: () => budgets.of(account),
      onDidChange,
    },
    () => conversation,
    () => titles,
  ]);
  const posted: (StateMessage<UsageOverview> | AnswerMessage)[] = [];
  const panel = {
    webview: {
      postMessage: (message: (typeof posted)[number]) => Promise.resolve(posted.push(message)),
    },
    onDidChangeViewState: onDidChange,
    onDidDispose: onDidChange,
  };
  assert.ok(typeof tab === 'object' && tab !== null && 'restore' in tab);
  assert.ok(typeof tab.restore === 'function');
  Reflect.apply(tab.restore, tab, [panel]);
  let id = 0;
  return {
    ledger,
    posted,
    executed,
    ask: async (name: string, parameters: object = {}): Promise<void> => {
      fromPage.fire({ type: 'call', id: ++id, call: { name, parameters } });
      for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
    last: (): UsageOverview => {
      const states = posted.flatMap((message) => (message.type === 'state' ? message.state : []));
      return states.at(-1) ?? assert.fail();
    },
  };
}

async function use(ledger: Ledger, tokens: number, demo = false): Promise<void> {
  const { end } = await ledger.open(planned(1, { demo }), () => ({
    reserve: { prompt: 0, reply: 0 },
  }));
  await end(usageOf(tokens), 'finished');
}

describe('the tab with the usage', () => {
  it('posts the range that the page wants, and then the titles of chats', async () => {
    const { ledger, ask, last } = rig();
    await ask('ready');
    assert.equal(last().isEmpty, true);
    await use(ledger, 100);
    await ask('show', { range: '12months' });
    const { range, bars, total, tables, isEmpty } = last();
    assert.deepEqual([range, bars.length, isEmpty], ['12months', 12, false]);
    assert.equal(total.total_tokens, 100);
    assert.equal(tables.find(({ of }) => of === 'chats')?.rows[0]?.title, 'My chat');
  });

  it('runs the commands that it offers, and opens chats', async () => {
    const { ask, executed } = rig();
    await ask('run', { command: 'exportUsage' });
    await ask('open-chat', { id: 'c' });
    await ask('run', { command: 'removeApiKey' });
    assert.deepEqual(executed, [
      ['aside.exportUsage', '30days'],
      ['aside.openChat', 'c'],
    ]);
  });

  it('shows the remainder of each budget, excluding reserves', async () => {
    const { ledger, ask, last } = rig({ day: 1000, chat: 20 });
    await use(ledger, 300);
    await ledger.open(planned(1), () => ({ reserve: { prompt: 100, reply: 50 } }));
    await ask('show', { range: '7days' });
    assert.deepEqual(
      last().tiles.map(({ key, budget }) => [key, budget?.limit, budget?.remaining]),
      [
        ['today', 1000, 550],
        ['month', undefined, undefined],
        ['session', undefined, undefined],
        ['chat', 20, 0],
      ],
    );
  });

  it("shows the demo's usage separately", async () => {
    const { ledger, ask, last } = rig({ day: 1000 });
    const tiles = (): unknown =>
      last().tiles.map((tile) => [tile.key, tile.total_tokens, tile.demo?.total_tokens]);
    await use(ledger, 400, true);
    await ask('show', { range: '7days' });
    assert.deepEqual(tiles(), [
      ['today', 0, 400],
      ['month', 0, 400],
      ['session', 0, 400],
      ['chat', 30, 7],
    ]);
    assert.equal(last().tiles[0]?.budget?.remaining, 1000);
    assert.deepEqual([last().isDemo, last().total.total_tokens], [true, 400]);
    await use(ledger, 300);
    await ask('show', { range: '7days' });
    assert.deepEqual(tiles(), [
      ['today', 300, 400],
      ['month', 300, 400],
      ['session', 300, 400],
      ['chat', 30, 7],
    ]);
    assert.deepEqual([last().isDemo, last().total.total_tokens], [false, 300]);
    const demo = last().tables.find(({ of }) => of === 'demo');
    assert.equal(demo?.rows[0]?.total_tokens, 400);
  });

  it('reports errors to the page', async () => {
    const { posted, ask } = rig({}, Promise.reject(new Error('No titles.')));
    await ask('ready');
    const answer = posted.find(({ type }) => type === 'answer');
    assert.deepEqual(answer, { type: 'answer', id: 1, error: 'Error: No titles.' });
  });
});

describe('a request of the usage page', () => {
  it('is a range, one of four commands, or a chat', () => {
    const allowed: readonly unknown[] = [
      { name: 'ready', parameters: {} },
      { name: 'ready', parameters: { range: 'month' } },
      { name: 'show', parameters: { range: '7days' } },
      { name: 'run', parameters: { command: 'exportUsage' } },
      { name: 'open-chat', parameters: { id: 'a-b_1' } },
    ];
    const refused: readonly unknown[] = [
      { name: 'run', parameters: { command: 'removeApiKey' } },
      { name: 'run', parameters: { command: 'exportUsage', more: 1 } },
      { name: 'open-chat', parameters: { id: '../a' } },
      { name: 'open-chat', parameters: { id: '' } },
      { name: 'show', parameters: { range: 'forever' } },
      { name: 'evil', parameters: {} },
      null,
      'ready',
    ];
    for (const message of allowed) assert.ok(usageCall.safeParse(message).success);
    for (const message of refused) assert.ok(!usageCall.safeParse(message).success);
  });
});
