import assert from 'node:assert/strict';
import type { Turn } from '../../../src/core/conversation/conversation.ts';
import { PanelPage } from './panel.ts';
import { chat, finished } from './tools.ts';

const more = 'More Actions…';
const cost = 'Show Cost of This Reply';
const reply: Turn = { ...finished, parts: [{ type: 'text', text: 'So.' }] };

describe('a menu', () => {
  let panel: PanelPage;

  beforeEach(async () => {
    panel = await PanelPage.open({ conversation: chat(reply) });
  });

  const isOpen = (): boolean => panel.all('[role=menu]').length === 1;
  const focused = (): string | null | undefined =>
    panel.activeElement?.getAttribute('aria-label') ?? panel.activeElement?.textContent;

  async function open(): Promise<void> {
    panel.button(more).focus();
    panel.button(more).click();
    await panel.until(isOpen);
  }

  it('has less common actions on a reply, and its cost', async () => {
    await open();
    const names = panel.texts('[role=menuitem]');
    assert.deepEqual(names, ['Retry with Another Model…', 'Fork from Here', cost]);
    const menu = panel.element('[role=menu]');
    const facts = panel.window.document.getElementById(menu.getAttribute('aria-describedby') ?? '');
    assert.match(facts?.textContent ?? '', /^mistral-small/);
    const buttons = panel.all('.answer-actions button');
    assert.deepEqual(
      buttons.map((button) => button.getAttribute('aria-label')),
      ['Copy Message', 'Retry', more],
    );
  });

  it('takes the focus, and moves it by arrow keys around its entries', async () => {
    await open();
    const visited = [focused()];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Home', 'End']) {
      await panel.pressKey(key);
      visited.push(focused());
    }
    const [retry, fork] = ['Retry with Another Model…', 'Fork from Here'];
    assert.deepEqual(visited, [retry, fork, cost, retry, cost, retry, cost]);
  });

  it('gives the focus back to its button when Escape or Tab closes it', async () => {
    for (const key of ['Escape', 'Tab']) {
      await open();
      assert.equal(panel.button(more).getAttribute('aria-expanded'), 'true');
      await panel.pressKey(key);
      await panel.until(() => !isOpen());
      assert.equal(focused(), more);
      assert.equal(panel.button(more).getAttribute('aria-expanded'), 'false');
    }
    assert.deepEqual(panel.requests(), []);
  });

  it('closes when its button or something else is pressed, or an entry was chosen', async () => {
    await open();
    panel.button(more).click();
    await panel.until(() => !isOpen());
    await open();
    const { Event, document } = panel.window;
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    await panel.until(() => !isOpen());
    await open();
    await panel.click('Fork from Here');
    await panel.until(() => !isOpen());
    assert.equal(focused(), more);
    assert.deepEqual(panel.requests(), [{ name: 'fork', parameters: { turn: finished.id } }]);
  });

  it('shows what a reply cost, by cause, and why less came from the cache', async () => {
    await open();
    await panel.click(cost);
    await panel.answer('reply-cost', {
      currency: '$',
      language: 'en',
      requests: 2,
      tokens: 1500,
      estimated: true,
      cost: 0.25,
      isPartial: true,
      billed: 0.5,
      differs: true,
      rows: [
        { cause: 'new', tokens: 1000, cost: 0.2 },
        { cause: 'reply', tokens: 500, cost: 0.05 },
      ],
      misses: ['tools'],
    });
    await panel.until(() => panel.all('.reply-cost').length === 1);
    const group = panel.element('.reply-cost');
    assert.equal(group.getAttribute('aria-label'), 'Cost of This Reply');
    assert.equal(panel.activeElement, group);
    assert.deepEqual(
      panel.all('.reply-cost tr').map((row) => [...row.children].map((cell) => cell.textContent)),
      [
        ['Cause', 'Tokens', 'Cost'],
        ['New text', '≈1,000', '≥$0.20'],
        ['Replies', '≈500', '≥$0.05'],
        ['Total', '≈1,500', '≥$0.25'],
      ],
    );
    assert.deepEqual(panel.texts('.reply-cost .hint'), [
      'Billed by the service: $0.50',
      'The billed amount differs from the cost at the listed price.',
      'Not from the cache: the tools changed.',
    ]);
    await panel.click('Close');
    await panel.until(() => panel.all('.reply-cost').length === 0);
    assert.equal(focused(), more);
  });

  it('does not stop a running reply when Escape closes it', async () => {
    const { endedAt, ...runningTurn } = finished;
    assert.ok(endedAt !== undefined);
    await panel.show({
      conversation: { ...chat(reply), running: { ...runningTurn, id: 'next' } },
    });
    await open();
    await panel.pressKey('Escape');
    await panel.until(() => !isOpen());
    assert.deepEqual(panel.requests(), []);
  });

  it('offers no action that changes a chat which another window writes', async () => {
    await panel.change({ isReadOnly: true });
    await open();
    const disabled = panel.texts('[role=menuitem][aria-disabled=true]');
    assert.deepEqual(disabled, ['Retry with Another Model…']);
    for (const name of disabled) await panel.click(name);
    assert.deepEqual(panel.requests(), []);
  });
});
