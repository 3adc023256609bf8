import assert from 'node:assert/strict';
import type { Conversation, Part, Turn } from '../../../../src/core/conversation/conversation.ts';
import { findPattern } from '../../../../src/core/conversation/findInTurns.ts';
import { textRanges } from '../../../../src/webview/transcript/findBar.tsx';
import { longConversation } from '../../../support/longJournal.ts';
import { turnStart } from '../../../support/turns.ts';
import { LongPanel } from '../longPanel.ts';
import { openPage } from '../page.ts';

describe('textRanges', () => {
  const { document, Node, NodeFilter } = openPage();
  Object.assign(globalThis, { Node, NodeFilter });

  function find(query: string, html: string): string[] {
    const element = document.createElement('div');
    element.innerHTML = html;
    const pattern = findPattern(query);
    assert.ok(pattern !== undefined);
    return textRanges(element, pattern).map(String);
  }

  it('finds across the nodes of a line', () => {
    const html = '<p>It has <strong>several</strong> parts, several.</p>';
    assert.deepEqual(find('has several parts', html), ['has several parts']);
    assert.deepEqual(find('several', html), ['several', 'several']);
  });

  it('does not join text of different blocks', () => {
    assert.deepEqual(find('onetwo', '<p>one</p><p>two</p>'), []);
    assert.deepEqual(find('one two', '<p>one</p><p>two</p>').length, 1);
    assert.deepEqual(find('ab', '<table><tr><td>a</td><td>b</td></tr></table>'), []);
  });

  it('ignores the text of buttons', () => {
    assert.deepEqual(find('copy', '<div><button>Copy</button><pre>copy</pre></div>'), ['copy']);
  });

  it('starts and ends at the match', () => {
    const element = document.createElement('div');
    element.append('x', 'needle', 'y');
    const pattern = findPattern('needle');
    const [range] = pattern === undefined ? [] : textRanges(element, pattern);
    assert.equal(range?.startContainer, element.childNodes[1]);
    assert.deepEqual([range?.startOffset, range?.endOffset], [0, 6]);
  });
});

const field = '[role=search] input';

describe('find in chat', () => {
  let panel: LongPanel | undefined;

  async function open(conversation: Conversation): Promise<LongPanel> {
    panel = await LongPanel.open(conversation);
    await panel.page.press('body', 'f', { ctrlKey: true });
    return panel;
  }

  async function look(panel: LongPanel, query: string): Promise<void> {
    await panel.page.type(field, query);
    await panel.settled();
  }

  const count = (panel: LongPanel): string => panel.page.element('.find-count').textContent;

  it('opens with Ctrl+F, takes the focus, and restores it when closed', async () => {
    const panel = await open(longConversation(3, 300));
    const { document } = panel.page.window;
    assert.equal(document.activeElement, panel.page.element(field));
    await panel.page.press(field, 'Escape');
    assert.equal(panel.page.all('[role=search]').length, 0);
    assert.equal(document.activeElement, panel.page.element('[aria-label=Message]'));
    panel.page.button('Configure').focus();
    await panel.page.press('body', 'f', { ctrlKey: true });
    await panel.page.click('Close');
    assert.equal(document.activeElement, panel.page.button('Configure'));
  });

  it('finds text that is not in the page, shows it and highlights it', async () => {
    const panel = await open(longConversation(200, 300));
    assert.ok(!panel.renderedTurns.includes('turn-7'));
    await look(panel, 'Question 7.');
    assert.equal(count(panel), '1 of 1');
    assert.equal(panel.visibleTurn, 'turn-7');
    assert.deepEqual(panel.highlightedTexts('find-current'), ['Question 7.']);
    assert.deepEqual(panel.highlightedTexts('find-match'), ['Question 7.']);
  });

  it('shows words that led to the chat, at the turn that has them, and the turn without them', async () => {
    panel = await LongPanel.open(longConversation(200, 300));
    const opened = panel;
    await opened.showMatch('turn-70', 'several parts');
    assert.equal(opened.visibleTurn, 'turn-70');
    assert.equal(count(opened), '70 of 200');
    assert.deepEqual(opened.highlightedTexts('find-current'), ['several parts']);
    await opened.page.press(field, 'Enter');
    await opened.settled();
    assert.equal(count(opened), '71 of 200');
    await opened.showMatch('turn-20', 'the name of a file');
    assert.equal(count(opened), 'No matching results');
    assert.ok(
      opened.renderedTurns.includes('turn-20') && !opened.renderedTurns.includes('turn-70'),
    );
  });

  it('lists the messages without words, and shows the turn of one', async () => {
    const panel = await open(longConversation(200, 300));
    await panel.settled();
    const messages = panel.page.all('[aria-label="Your Messages"] button');
    assert.equal(messages.length, 200);
    assert.match(messages[6]?.textContent ?? '', /^Question 7\./);
    assert.ok(!panel.renderedTurns.includes('turn-7'));
    messages[6]?.click();
    await panel.settled();
    assert.ok(panel.renderedTurns.includes('turn-7'));
    assert.equal(panel.page.all('[role=search]').length, 0);
    await panel.page.press('body', 'f', { ctrlKey: true });
    await look(panel, 'Question');
    assert.equal(panel.page.all('[aria-label="Your Messages"]').length, 0);
  });

  it('steps through the matches in both directions, and wraps around', async () => {
    const panel = await open(longConversation(200, 300));
    await look(panel, 'question 19');
    // Turns 19 and 190 to 199 match. The view starts after all of them.
    assert.equal(count(panel), '11 of 11');
    assert.equal(panel.visibleTurn, 'turn-199');
    await panel.page.press(field, 'Enter');
    await panel.settled();
    assert.deepEqual([count(panel), panel.visibleTurn], ['1 of 11', 'turn-19']);
    await panel.page.press(field, 'Enter', { shiftKey: true });
    await panel.page.click('Previous Match');
    await panel.settled();
    assert.deepEqual([count(panel), panel.visibleTurn], ['10 of 11', 'turn-198']);
    assert.deepEqual(panel.highlightedTexts('find-current'), ['Question 19']);
  });

  it('says if there are no matches, and removes the highlights when closed', async () => {
    const panel = await open(longConversation(3, 300));
    await look(panel, 'several parts, of');
    assert.equal(panel.highlightedTexts('find-match').length, 3);
    await look(panel, 'no such words');
    assert.equal(count(panel), 'No matching results');
    assert.deepEqual(panel.highlightedTexts('find-match'), []);
    await panel.page.press(field, 'Escape');
    assert.deepEqual(panel.highlightNames, []);
  });

  it('unfolds code with a match', async () => {
    const text = 'Look:\n\n```ts\nlet needle;\n```\n\nThat was it.\n';
    const conversation = longConversation(2, 300);
    const turns = conversation.turns.map((turn): Turn => ({
      ...turn,
      parts: [{ type: 'text', text }],
    }));
    const panel = await open({ ...conversation, turns });
    const folded = (): number => panel.page.all('.code-block[data-folded]').length;
    for (const button of panel.page.all('[aria-label="Show Code"]')) button.click();
    assert.ok(folded() > 0);
    const before = folded();
    await look(panel, 'needle');
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
    const panel = await open({ ...conversation, turns });
    await look(panel, 'hidden needle');
    await panel.page.until(() => panel.highlightedTexts('find-current').length === 1);
    assert.equal(panel.page.all('details[open].reasoning').length, 1);
    await look(panel, '"needle"');
    assert.equal(panel.page.all('details[open].tool-call').length, 1);
    assert.deepEqual(panel.highlightedTexts('find-current'), ['"needle"']);
  });

  it('searches again when a turn ends, but stays at the new reply', async () => {
    const panel = await open(longConversation(20, 300));
    await look(panel, 'question 1');
    await panel.page.press(field, 'Enter');
    await panel.page.press(field, 'Enter');
    const before = count(panel);
    assert.equal(before, '2 of 11');
    const question = { text: 'Question 100', attachments: [] };
    const start = turnStart({ id: 'new', question });
    await panel.play(start, { type: 'turn-end', status: 'finished', at: 2 });
    await panel.settled();
    assert.equal(count(panel), before.replace('of 11', 'of 12'));
    assert.equal(panel.visibleTurn, 'new');
  });
});
