import assert from 'node:assert/strict';
import type { Conversation, Turn } from '../../../src/core/conversation/conversation.ts';
import type { ConversationEvent, TurnEvent } from '../../../src/core/conversation/events.ts';
import { zeroUsage } from '../../../src/core/conversation/usage.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat, finished, start, startedAt } from './tools.ts';

const models = ['mistralai/mistral-small', 'deepseek/chat', 'qwen/thinker'];
const ids = ['turn', 'b', 'c'];

const end: TurnEvent = { type: 'turn-end', status: 'finished', at: startedAt + 3400 };

const text = (words: string): TurnEvent => ({ type: 'text-delta', text: words, at: startedAt });

function startOf(index: number): ConversationEvent {
  const model = models[index] ?? '';
  return { type: 'compared-turn-start', id: ids[index] ?? '', model, json: false, at: startedAt };
}

function inTurn(index: number, event: TurnEvent): ConversationEvent {
  return index === 0 ? event : { type: 'compared-turn-event', turn: ids[index] ?? '', event };
}

function ended(index: number, change: Partial<Turn> = {}): Turn {
  const usage = { ...zeroUsage, prompt_tokens: 1000, total_tokens: 1000, requests: 1 };
  return {
    ...finished,
    id: ids[index] ?? '',
    model: models[index] ?? '',
    parts: [{ type: 'text', text: `Because of ${index}.` }],
    usage,
    ...change,
  };
}

function undecided(...compared: Turn[]): Conversation {
  return { ...chat(ended(0)), compared };
}

describe('a comparison in the panel', () => {
  function open(conversation = chat()): Promise<PanelPage> {
    return PanelPage.open({ conversation });
  }

  async function begin(count: number): Promise<PanelPage> {
    const panel = await open();
    await panel.play(start, ...ids.slice(1, count).map((_, index) => startOf(index + 1)));
    await panel.until(() => columns(panel).length === count);
    return panel;
  }

  const columns = (panel: PanelPage): HTMLElement[] => panel.all('.comparison-column');
  const textsOf = (panel: PanelPage): (string | undefined)[] =>
    columns(panel).map((column) => column.querySelector('.parts')?.textContent);

  for (const count of [2, 3])
    it(`has ${count} regions named by their models, below the message`, async () => {
      const panel = await begin(count);
      const names = columns(panel).map((column) => [
        column.tagName,
        column.ariaLabel ?? column.getAttribute('aria-label'),
      ]);
      assert.deepEqual(
        names,
        models.slice(0, count).map((model) => ['SECTION', model]),
      );
      assert.equal(panel.all('article[aria-label=You]').length, 1);
      assert.equal(panel.all('[role=status]')[0]?.textContent, '');
    });

  it("grows in each column with its model's text, and keeps the other nodes", async () => {
    const panel = await begin(3);
    for (const index of [0, 1, 2]) await panel.play(inTurn(index, text(`I am ${index}`)));
    assert.deepEqual(textsOf(panel), ['I am 0', 'I am 1', 'I am 2']);
    const nodes = panel.all('.comparison-column .prose');
    await panel.play(
      inTurn(1, text(' and more')),
      inTurn(2, text(' or less')),
      inTurn(1, text('.')),
    );
    assert.deepEqual(textsOf(panel), ['I am 0', 'I am 1 and more.', 'I am 2 or less']);
    assert.deepEqual(panel.all('.comparison-column .prose'), nodes);
    await panel.play(inTurn(0, end), inTurn(1, text(' Yes.')));
    assert.deepEqual(textsOf(panel), ['I am 0', 'I am 1 and more. Yes.', 'I am 2 or less']);
    assert.deepEqual(panel.all('.comparison-column .prose'), nodes);
  });

  it('has a Stop button for each running reply, and one for all', async () => {
    const panel = await begin(2);
    await panel.click('Stop deepseek/chat');
    await panel.click('Stop');
    await panel.play(inTurn(0, text('So.')), inTurn(0, end));
    assert.equal(panel.buttons('Stop mistralai/mistral-small').length, 0);
    await panel.press('[aria-label=Message]', 'Escape');
    await panel.play(inTurn(1, end));
    assert.equal(panel.buttons('Stop').length, 0);
    assert.deepEqual(panel.requests(), [
      { name: 'stop', parameters: { turn: 'b' } },
      { name: 'stop', parameters: {} },
      { name: 'stop', parameters: {} },
    ]);
  });

  it('lets the person choose a reply when it has ended, with a button named by its model', async () => {
    const panel = await begin(2);
    const name = 'Continue with This Reply: deepseek/chat';
    await panel.click(name);
    assert.deepEqual(panel.requests(), []);
    assert.equal(panel.button(name).textContent, 'Continue with This Reply');
    await panel.play(inTurn(1, text('Yes.')), inTurn(1, end));
    await panel.click(name);
    assert.deepEqual(panel.requests(), [{ name: 'choose-reply', parameters: { turn: 'b' } }]);
  });

  it('says with which reply the next message continues', async () => {
    const failed = { status: 'failed', parts: [], error: { kind: 'x', message: 'No.' } } as const;
    for (const [first, name] of [
      [ended(0), 'mistral-small'],
      [ended(0, failed), 'chat'],
    ] as const) {
      const panel = await open({ ...chat(first), compared: [ended(1)] });
      await panel.until(() => columns(panel).length === 2);
      const note = panel.element('.comparison-note').textContent;
      assert.ok(note.includes(`send a message to continue with ${name}.`), note);
      panel.close();
    }
  });

  it('shows time, tokens and price of each reply, and how it ended', async () => {
    const estimated = { ...zeroUsage, prompt_tokens: 1000, total_tokens: 1000, estimated: true };
    const stopped = ended(1, { status: 'stopped', usage: { ...estimated, requests: 1 } });
    const price = { input: 10, output: 20 };
    const prices = { [models[0] ?? '']: price, [models[1] ?? '']: price };
    const panel = await open();
    panel.window.document.documentElement.lang = 'en';
    await panel.show({
      conversation: undecided(stopped, ended(2, { status: 'failed', parts: [] })),
      state: { ...readyState, prices: { currency: '$', byModel: prices } },
    });
    await panel.until(() => columns(panel).length === 3);
    const facts = panel
      .all('.column-facts')
      .map((row) => [...row.children].map(({ textContent }) => textContent));
    assert.deepEqual(facts, [
      ['3.4 s', '1k tokens', '$0.01'],
      ['Stopped', '3.4 s', '≈1k tokens', '≈$0.01'],
      ['Failed', '1k tokens'],
    ]);
  });

  it('offers to retry a failed reply when all have ended', async () => {
    const panel = await begin(2);
    const error = { kind: 'x', message: 'No connection.' };
    await panel.play(inTurn(1, { type: 'turn-end', status: 'failed', error, at: startedAt + 1 }));
    assert.equal(panel.buttons('Try Again').length, 0);
    assert.equal(
      panel.button('Continue with This Reply: deepseek/chat').getAttribute('aria-disabled'),
      'true',
    );
    await panel.play(inTurn(0, text('So.')), inTurn(0, end));
    await panel.click('Try Again');
    assert.deepEqual(panel.requests(), [
      { name: 'retry', parameters: { turn: 'b', chooseModel: false } },
    ]);
  });

  it('announces the end of each reply once, even if they end together', async () => {
    const panel = await begin(3);
    for (const index of [0, 1, 2]) await panel.play(inTurn(index, text(`I am ${index}.`)));
    await panel.play(inTurn(1, end));
    assert.equal(panel.announcement, 'deepseek/chat: Reply: I am 1.');
    await panel.play(inTurn(0, end), inTurn(2, end));
    assert.equal(
      panel.announcement,
      'mistralai/mistral-small: Reply: I am 0.\nqwen/thinker: Reply: I am 2.',
    );
  });

  it('is restored after a reload, and removed when a reply was chosen', async () => {
    const panel = await open(undecided(ended(1)));
    await panel.until(() => columns(panel).length === 2);
    assert.equal(panel.buttons('Retry').length, 0);
    const version = { number: 2, count: 2, previous: 'turn' };
    await panel.show({ conversation: chat(ended(1)), versions: { b: { reply: version } } });
    await panel.until(() => columns(panel).length === 0);
    assert.equal(panel.element('.versions span:not(.codicon)').textContent, '2 of 2');
    assert.equal(panel.element('[aria-label=Assistant] .parts').textContent, 'Because of 1.');
  });

  it('is offered for the newest reply', async () => {
    const panel = await open(chat(ended(0)));
    await panel.choose('More Actions…', 'Compare Models…');
    assert.deepEqual(panel.requests(), [{ name: 'compare', parameters: { turn: 'turn' } }]);
  });
});
