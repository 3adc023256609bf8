import assert from 'node:assert/strict';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import { reduce } from '../../../src/core/conversation/reduce.ts';
import { maxHeld } from '../../../src/webview/transcript/transcriptScroll.ts';
import { longConversation } from '../../support/longJournal.ts';
import { LongPanel } from './longPanel.ts';
import { turnStart } from '../../support/turns.ts';

const question = { text: 'And now?', attachments: [] };
const start: ConversationEvent = turnStart({ id: 'new', question });
const delta = (text: string): ConversationEvent => ({ type: 'text-delta', text, at: 2 });
const end: ConversationEvent = {
  type: 'turn-end',
  status: 'finished',
  finishReason: 'stop',
  at: 3,
};

describe('a long chat in the panel', () => {
  let panel: LongPanel | undefined;

  async function open(turns: number, length = 300): Promise<LongPanel> {
    panel = await LongPanel.open(longConversation(turns, length));
    return panel;
  }

  /** Scrolls until the turn is rendered. */
  async function read(panel: LongPanel, pixels: number, until: string): Promise<void> {
    for (let page = 0; !panel.renderedTurns.includes(until); page++) {
      assert.ok(page < 1000, `${until} never came`);
      const { visibleTurn } = panel;
      await panel.scrollBy(pixels);
      assert.ok(visibleTurn !== undefined, 'An empty frame');
      assert.ok(
        panel.renderedTurns.length <= maxHeld.turns + 20,
        `${panel.renderedTurns.length} turns`,
      );
    }
  }

  it('opens at its end, with more turns ahead in both directions', async () => {
    const panel = await open(5000);
    assert.equal(panel.visibleTurn, 'turn-5000');
    assert.ok(
      panel.renderedTurns.length > 6 && panel.renderedTurns.length <= 40,
      `${panel.renderedTurns.length} turns`,
    );
    assert.equal(panel.page.all('[aria-label="Jump to Latest"]').length, 0);
  });

  it('marks the first message that is sent with its tool results in full', async () => {
    const { page } = await open(10);
    await page.play({ ...start, firstSent: 'turn-4', shortResultsBefore: 'turn-8' });
    const marks = page
      .all('.context-cut')
      .map((mark) => [
        mark.textContent.slice(0, 12),
        mark.nextElementSibling?.getAttribute('data-turn'),
      ]);
    assert.deepEqual(marks, [
      ['Messages abo', 'turn-4'],
      ['Tool results', 'turn-8'],
    ]);
  });

  it('marks messages sent as a summary, shows it, and sends the messages again', async () => {
    const { page } = await open(10);
    const summary = { id: 's', text: 'About **trains**.', upTo: 'turn-8', model: 'm', at: 1 };
    await page.play({ ...start, firstSent: 'turn-4' }, end, { type: 'chat-shorten', summary });
    const mark = page.element('.context-cut');
    assert.equal(page.all('.context-cut').length, 1);
    assert.equal(mark.previousElementSibling?.getAttribute('data-turn'), 'turn-8');
    assert.match(mark.textContent, /^Messages above are sent as a summary\.Summary by m/);
    page.element('.summary-mark details').toggleAttribute('open', true);
    await page.drawn();
    assert.equal(page.element('.summary-mark strong').textContent, 'trains');
    await page.click('Send the Messages Again');
    assert.deepEqual(page.requests().at(-1), {
      name: 'use-summary',
      parameters: { summary: 's', used: false },
    });
    await page.play({ type: 'summary-use', summary: 's', used: false });
    await page.click('Send the Summary');
    assert.deepEqual(page.requests().at(-1), {
      name: 'use-summary',
      parameters: { summary: 's', used: true },
    });
  });

  it('can be scrolled to its start and back with a bounded number of turns in the page', async () => {
    const panel = await open(90);
    await read(panel, -2400, 'turn-1');
    assert.ok(!panel.renderedTurns.includes('turn-90'));
    await read(panel, 2400, 'turn-90');
    assert.ok(!panel.renderedTurns.includes('turn-1'));
  });

  it('keeps visible turns in place while others are added and removed', async () => {
    const panel = await open(90);
    for (let page = 0; page < 40; page++) {
      const before = panel.visibleTurn;
      await panel.scrollBy(-400);
      // Each turn has 400 pixels: whatever was added above, the next one is visible.
      assert.equal(number(panel.visibleTurn), Math.max(1, number(before) - 1), `page ${page}`);
    }
  });

  it('scrolls to the end with its button and with a new message', async () => {
    const panel = await open(90);
    await read(panel, -2400, 'turn-20');
    assert.ok(!panel.renderedTurns.includes('turn-90'));
    await panel.page.click('Jump to Latest');
    await panel.settled();
    assert.equal(panel.visibleTurn, 'turn-90');
    await read(panel, -2400, 'turn-20');
    await panel.play(start, delta('Now.'));
    await panel.settled();
    assert.equal(panel.renderedTurns.at(-1), 'new');
    assert.equal(panel.page.all('.answer').at(-1)?.textContent, 'Now.');
  });

  it('does not render the running reply while far from the end', async () => {
    const panel = await open(90);
    await panel.play(start, delta('Now.'));
    await read(panel, -2400, 'turn-20');
    assert.ok(!panel.renderedTurns.includes('new'));
    await panel.play(delta(' And more.'), end);
    assert.ok(!panel.renderedTurns.includes('new'));
    assert.equal(panel.page.element('[role=status]').textContent, '');
    await read(panel, 2400, 'new');
    assert.equal(panel.renderedTurns.filter((id) => id === 'new').length, 1);
    assert.match(panel.page.all('.answer').at(-1)?.textContent ?? '', /^Now\. And more\./);
  });

  it('is loaded again when a turn is removed that the page does not have', async () => {
    const panel = await open(90);
    await read(panel, -2400, 'turn-20');
    await panel.play({ type: 'turn-remove', id: 'turn-89' }, start, delta('Instead.'), end);
    await panel.settled();
    assert.deepEqual(panel.renderedTurns.slice(-2), ['turn-88', 'new']);
  });

  it('keeps the position when another version is shown', async () => {
    const events = [{ type: 'turn-remove', id: 'turn-40' } as const, start, delta('New.'), end];
    const conversation = events.reduce(reduce, longConversation(60, 300));
    const back = reduce(conversation, { type: 'version-select', turn: 'turn-40' });
    panel = await LongPanel.open(back, ['turn-40', 150]);
    const { page } = panel;
    const at = (): number => panel?.renderedTurns.indexOf('turn-40') ?? 0;
    assert.equal(at() * 400, panel.top - 150);
    await page.click('Next Version');
    await panel.settled();
    assert.equal(panel.renderedTurns.at(-1), 'new');
    assert.equal(page.activeElement, page.button('Next Version'));
    await panel.scrollBy(-50);
    const above = panel.renderedTurns.indexOf('new') * 400 - panel.top;
    await page.click('Previous Version');
    await panel.settled();
    assert.equal(panel.renderedTurns.indexOf('turn-40') * 400 - panel.top, above);
    assert.equal(page.activeElement, page.button('Previous Version'));
    assert.ok(panel.renderedTurns.includes('turn-41'));
  });

  it('restores the scroll position after the view was closed', async () => {
    panel = await LongPanel.open(longConversation(90, 300), ['turn-30', 150]);
    assert.equal(panel.renderedTurns[Math.floor(panel.top / 400)], 'turn-30');
    assert.equal(panel.top % 400, 150);
    await panel.scrollBy(-200);
    assert.deepEqual(structuredClone(panel.page.state), {
      chat: 'long',
      conversation: 'long',
      atEnd: false,
      turn: 'turn-29',
      offset: 350,
    });
  });

  it('keeps a message that is being edited while its turn is far away', async () => {
    const panel = await open(90);
    panel.page.buttons('Edit Message').at(-1)?.click();
    await panel.page.drawn();
    await panel.page.type('[aria-label="Edited Message"]', 'Half written');
    await read(panel, -2400, 'turn-20');
    assert.equal(panel.page.all('[aria-label="Edited Message"]').length, 0);
    await read(panel, 2400, 'turn-90');
    assert.equal(panel.page.valueOf('[aria-label="Edited Message"]'), 'Half written');
  });
});

function number(id: string | undefined): number {
  return Number(id?.replace('turn-', ''));
}
