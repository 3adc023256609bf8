import assert from 'node:assert/strict';
import type { Conversation, Part, Turn } from '../../../../src/core/conversation/conversation.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { longConversation } from '../../../support/longJournal.ts';
import { LongPanel } from '../longPanel.ts';

const field = '[role=search] input';

describe('find in chat', () => {
  let panel: LongPanel | undefined;

  async function open(conversation: Conversation): Promise<LongPanel> {
    panel = await LongPanel.open(conversation);
    await panel.page.press('body', 'f', { ctrlKey: true });
    return panel;
  }

  async function look(found: LongPanel, query: string): Promise<void> {
    await found.page.type(field, query);
    await found.settled();
  }

  const count = (found: LongPanel): string => found.page.one('.find-count').textContent;

  it('opens with Ctrl+F, takes the focus, and restores it when closed', async () => {
    const found = await open(longConversation(3, 300));
    const { document } = found.page.window;
    assert.equal(document.activeElement, found.page.one(field));
    await found.page.press(field, 'Escape');
    assert.equal(found.page.all('[role=search]').length, 0);
    assert.equal(document.activeElement, found.page.one('[aria-label=Message]'));
    found.page.button('Options').focus();
    await found.page.press('body', 'f', { ctrlKey: true });
    await found.page.click('Close');
    assert.equal(document.activeElement, found.page.button('Options'));
  });

  it('finds text that is not in the page, shows it and highlights it', async () => {
    const found = await open(longConversation(200, 300));
    assert.ok(!found.drawn.includes('turn-7'));
    await look(found, 'Question 7.');
    assert.equal(count(found), '1 of 1');
    assert.equal(found.seen, 'turn-7');
    assert.deepEqual(found.marked('find-current'), ['Question 7.']);
    assert.deepEqual(found.marked('find-match'), ['Question 7.']);
  });

  it('shows words that led to the chat, at the turn that has them, and the turn without them', async () => {
    panel = await LongPanel.open(longConversation(200, 300));
    const found = panel;
    await found.showMatch('turn-70', 'several parts');
    assert.equal(found.seen, 'turn-70');
    assert.equal(count(found), '70 of 200');
    assert.deepEqual(found.marked('find-current'), ['several parts']);
    await found.page.press(field, 'Enter');
    await found.settled();
    assert.equal(count(found), '71 of 200');
    await found.showMatch('turn-20', 'the name of a file');
    assert.equal(count(found), 'No matching results');
    assert.ok(found.drawn.includes('turn-20') && !found.drawn.includes('turn-70'));
  });

  it('finds what is on the chosen path, and again when another version is chosen', async () => {
    const question = { text: 'And now?', attachments: [] };
    const start = {
      type: 'turn-start',
      id: 'new',
      question,
      model: 'm',
      json: false,
      at: 1,
    } as const;
    const edited = [
      { type: 'turn-remove', id: 'turn-3' } as const,
      start,
      { type: 'turn-end', status: 'finished', at: 2 } as const,
    ].reduce(reduce, longConversation(3, 300));
    const found = await open(edited);
    await look(found, 'Question 3.');
    assert.equal(count(found), 'No matching results');
    await found.page.click('Previous Version');
    await found.settled();
    assert.equal(count(found), '1 of 1');
  });

  it('steps through the matches in both directions, and wraps around', async () => {
    const found = await open(longConversation(200, 300));
    await look(found, 'question 19');
    // Question 19, and 190 to 199; the reader is behind them all.
    assert.equal(count(found), '11 of 11');
    assert.equal(found.seen, 'turn-199');
    await found.page.press(field, 'Enter');
    await found.settled();
    assert.deepEqual([count(found), found.seen], ['1 of 11', 'turn-19']);
    await found.page.press(field, 'Enter', { shiftKey: true });
    await found.page.click('Previous Match');
    await found.settled();
    assert.deepEqual([count(found), found.seen], ['10 of 11', 'turn-198']);
    assert.deepEqual(found.marked('find-current'), ['Question 19']);
  });

  it('says if there are no matches, and removes the highlights when closed', async () => {
    const found = await open(longConversation(3, 300));
    await look(found, 'several parts, of');
    assert.equal(found.marked('find-match').length, 3);
    await look(found, 'no such words');
    assert.equal(count(found), 'No matching results');
    assert.deepEqual(found.marked('find-match'), []);
    await found.page.press(field, 'Escape');
    assert.deepEqual(found.marks, []);
  });

  it('unfolds code with a match', async () => {
    const text = 'Look:\n\n```ts\nlet needle;\n```\n\nThat was it.\n';
    const conversation = longConversation(2, 300);
    const turns = conversation.turns.map((turn): Turn => ({
      ...turn,
      parts: [{ type: 'text', text }],
    }));
    const found = await open({ ...conversation, turns });
    const folded = (): number => found.page.all('.code-block[data-folded]').length;
    for (const button of found.page.all('[aria-label="Show Code"]')) button.click();
    assert.ok(folded() > 0);
    const before = folded();
    await look(found, 'needle');
    assert.equal(folded(), before - 1);
  });

  it('unfolds a match', async () => {
    const conversation = longConversation(2, 300);
    const thought: Part = { type: 'reasoning', text: 'A *hidden* needle', startedAt: 0 };
    const call: Part = {
      type: 'tool-call',
      id: 'c',
      name: 'sew',
      round: 1,
      status: 'done',
      arguments: '{"with":"needle"}',
    };
    const turns = conversation.turns.map((turn) => ({ ...turn, parts: [thought, call] }));
    const found = await open({ ...conversation, turns });
    await look(found, 'hidden needle');
    await found.page.until(() => found.marked('find-current').length === 1);
    assert.equal(found.page.all('details[open].reasoning').length, 1);
    await look(found, '"needle"');
    assert.equal(found.page.all('details[open].tool-call').length, 1);
    assert.deepEqual(found.marked('find-current'), ['"needle"']);
  });

  it('searches again when the chat has changed, and stays at its match', async () => {
    const found = await open(longConversation(20, 300));
    await look(found, 'question 1');
    await found.page.press(field, 'Enter');
    const before = count(found);
    const question = { text: 'Question 100', attachments: [] };
    const start = {
      type: 'turn-start',
      id: 'new',
      question,
      model: 'm',
      json: false,
      at: 1,
    } as const;
    await found.play(start, { type: 'turn-end', status: 'finished', at: 2 });
    await found.settled();
    assert.equal(count(found), before.replace('of 11', 'of 12'));
  });

  it('highlights turns that are added, and releases those that are removed', async () => {
    const found = await open(longConversation(100, 300));
    await look(found, 'question');
    for (let page = 0; page < 12; page++) await found.scrollBy(-2400);
    assert.equal(found.marked('find-match').length, found.drawn.length);
  });
});
