import assert from 'node:assert/strict';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { AnswerMessage, StateMessage } from '../../../../src/protocol/request.ts';
import type { UsageOverview } from '../../../../src/protocol/usageMessages.ts';
import { readSettings } from '../../../../src/host/settingValues.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { FakeMemento } from '../fakes.ts';
import { ledgerOf, MemoryLog, noon, planned, usageOf } from './usageRig.ts';

const vscode = `
  export const opened = [];
  export const executed = [];
  export const env = { language: 'en' };
  export const l10n = { t: (text) => text };
  export const commands = { executeCommand: (...given) => { executed.push(given); } };
  export const Uri = { joinPath: (...parts) => parts };
  export const ViewColumn = { Active: -1 };
  const event = () => ({ dispose: () => undefined });
  export const window = {
    createWebviewPanel: (type) => {
      const posted = [];
      const webview = { postMessage: (message) => { posted.push(message); } };
      const panel = { type, visible: true, posted, webview, reveals: 0 };
      opened.push(panel);
      return Object.assign(panel, {
        reveal: () => { panel.reveals += 1; },
        onDidChangeViewState: event,
        onDidDispose: (listener) => { panel.close = listener; return event(); },
        dispose: () => panel.close(),
      });
    },
  };
`;

interface FakePanel {
  readonly type: string;
  visible: boolean;
  readonly posted: (StateMessage<UsageOverview> | AnswerMessage)[];
  readonly reveals: number;
  readonly close: () => void;
}

const { UsageTab, opened, executed } = await withFakeVsCode(vscode, async () => {
  const loaded = await import('../../../../src/host/usage/usageTab.ts');
  const fake: object = await import('vscode');
  return { ...loaded, ...panelsOf(fake) };
});

function panelsOf(fake: object): { readonly opened: FakePanel[]; readonly executed: unknown[] } {
  const opened: unknown = Reflect.get(fake, 'opened');
  const executed: unknown = Reflect.get(fake, 'executed');
  assert.ok(isListOf<FakePanel>(opened) && isListOf<unknown>(executed));
  return { opened, executed };
}

function isListOf<T>(value: unknown): value is T[] {
  return Array.isArray(value);
}

/** An open tab, whose page the test controls. */
function rig(
  budget: unknown = {},
  titles: Promise<ReadonlyMap<string, string>> = Promise.resolve(new Map([['c', 'My chat']])),
) {
  opened.length = executed.length = 0;
  const log = new MemoryLog();
  const clock = new ManualClock(noon);
  const ledger = ledgerOf(log, clock);
  const onError = (what: unknown): void => assert.fail(String(what));
  const values = readSettings(
    (id) => (id === 'aside.budget' ? { globalValue: budget } : undefined),
    onError,
  );
  let say: (message: unknown) => void = () => undefined;
  const none = new Emitter<unknown>().event;
  const settings = { current: () => values, onDidChange: none };
  const options: unknown = {
    ledger,
    settings,
    model: () => 'm',
    chat: () => new Map(),
    waiting: () => undefined,
    onDidChange: none,
    clock,
    ratios: new TokenRatios(new FakeMemento()),
    conversation: () => ({
      ...emptyConversation('c'),
      usage: { m: usageOf(30) },
      demoUsage: { 'demo/guide': usageOf(7) },
    }),
    titles: () => titles,
    host: {
      extensionUri: {},
      clock,
      onError,
      refusal: String,
      openPage: () => (listener: typeof say) => {
        say = listener;
        return { dispose: () => undefined };
      },
    },
  };
  const tab: unknown = Reflect.construct(UsageTab, [options]);
  assert.ok(tab instanceof UsageTab);
  tab.show();
  const [panel] = opened;
  assert.ok(panel);
  let id = 0;
  const ask = (name: string, parameters: object = {}): void =>
    say({ type: 'request', id: ++id, call: { name, parameters } });
  return { tab, panel, ledger, clock, log, ask, say: (message: unknown) => say(message) };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function lastOf({ posted }: FakePanel): UsageOverview {
  const states = posted.flatMap((message) => (message.type === 'state' ? [message.state] : []));
  const last = states.at(-1);
  assert.ok(last);
  return last;
}

async function use(
  ledger: ReturnType<typeof rig>['ledger'],
  tokens: number,
  more: { readonly demo?: boolean } = {},
): Promise<void> {
  const { end } = await ledger.open(planned(1, more), () => ({ reserve: { prompt: 0, reply: 0 } }));
  await end(usageOf(tokens), 'finished');
}

describe('UsageTab', () => {
  it('posts the range that the page wants, and then the titles of chats', async () => {
    const { panel, ledger, ask } = rig();
    ask('ready');
    await settled();
    assert.equal(lastOf(panel).isEmpty, true);
    await use(ledger, 100);
    ask('show', { range: '12months' });
    await settled();
    const { range, bars, total, tables, isEmpty } = lastOf(panel);
    assert.deepEqual([range, bars.length, total.total, isEmpty], ['12months', 12, 100, false]);
    assert.equal(tables.chats[0]?.title, 'My chat');
  });

  it('runs the commands that it offers and opens chats, and nothing else', async () => {
    const { say, ask, panel } = rig();
    for (const message of [null, {}, { type: 'x' }]) say(message);
    ask('run', { command: 'removeApiKey' });
    ask('x');
    await settled();
    assert.deepEqual(executed, []);
    const answers = panel.posted.map((message) => message.type === 'answer' && message.error);
    assert.ok(answers.length === 2 && answers.every((error) => typeof error === 'string'));
    ask('run', { command: 'exportUsage' });
    ask('open-chat', { id: 'c' });
    assert.deepEqual(executed, [
      ['aside.exportUsage', '30days'],
      ['aside.openChat', 'c'],
    ]);
  });

  it('shows the remainder of each budget, excluding reserves', async () => {
    const { panel, ledger, ask } = rig({ day: 1000, chat: 20 });
    await use(ledger, 300);
    await ledger.open(planned(1), () => ({ reserve: { prompt: 100, reply: 50 } }));
    ask('show', { range: '7days' });
    await settled();
    const budgets = lastOf(panel).tiles.map(({ of, budget }) => [
      of,
      budget?.limit,
      budget?.remaining,
    ]);
    assert.deepEqual(budgets, [
      ['today', 1000, 550],
      ['month', undefined, undefined],
      ['session', undefined, undefined],
      ['chat', 20, 0],
    ]);
  });

  it("shows the demo's usage separately", async () => {
    const { panel, ledger, ask } = rig({ day: 1000 });
    await use(ledger, 400, { demo: true });
    ask('show', { range: '7days' });
    await settled();
    const { tiles, total, isDemo } = lastOf(panel);
    assert.deepEqual(
      tiles.map(({ of, total: counted, demo, budget }) => [
        of,
        counted,
        demo?.total,
        budget?.remaining,
      ]),
      [
        ['today', 0, 400, 1000],
        ['month', 0, 400, undefined],
        ['session', 0, 400, undefined],
        ['chat', 30, 7, undefined],
      ],
    );
    assert.deepEqual([isDemo, total.total], [true, 400]);
    await use(ledger, 300);
    ask('show', { range: '7days' });
    await settled();
    const both = lastOf(panel);
    assert.deepEqual([both.isDemo, both.total.total, both.demo[0]?.total], [false, 300, 400]);
    assert.deepEqual([both.tiles[0]?.total, both.tiles[0]?.demo?.total], [300, 400]);
  });

  it('reports errors to the page', async () => {
    const { panel, ask } = rig({}, Promise.reject(new Error('No titles.')));
    ask('ready');
    await settled();
    const answer = panel.posted.find(({ type }) => type === 'answer');
    assert.deepEqual(answer, { type: 'answer', id: 1, error: 'Error: No titles.' });
  });
});
