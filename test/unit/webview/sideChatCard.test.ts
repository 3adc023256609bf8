import assert from 'node:assert/strict';
import { emptyConversation, type Turn } from '../../../src/core/conversation/conversation.ts';
import type { HostMessage } from '../../../src/protocol/messages.ts';
import { turnStart } from '../../support/turns.ts';
import { PanelPage, readyState, snapshotOf } from './panel.ts';
import { said } from './tools.ts';

const turn = said('t', 'Hello', 'Hello, you.');
const copy: Turn = { ...turn, id: 'copy' };
const sideChat = { chat: 'side', copied: 1, isRunning: true };

const chatOf = (id: string, turns: readonly Turn[]) => ({
  conversation: { ...emptyConversation(id), turns },
});

interface Card {
  readonly panel: PanelPage;
  readonly say: (message: HostMessage) => void;
}

/**
 * Opens a page with a side chat whose reply is running.
 * @param onDrawn runs as soon as the reply is in the DOM, before Preact's effects
 */
async function openCard(onDrawn: (say: Card['say']) => void = () => undefined): Promise<Card> {
  const panel = await PanelPage.open(chatOf('chat', [turn]));
  panel.post({ type: 'state', state: { ...readyState, sideChat } });
  await panel.until(() => panel.sideMessages.some(({ type }) => type === 'ready'));
  const say = (message: HostMessage): void => panel.post({ type: 'side', chat: 'side', message });
  say({ type: 'snapshot', snapshot: snapshotOf(chatOf('side', [copy])) });
  const isDrawn = (): boolean =>
    panel.all('.side-chat-turns')[0]?.textContent.includes('Because') === true;
  const observer = new panel.window.MutationObserver(() => {
    if (!isDrawn()) return;
    observer.disconnect();
    onDrawn(say);
  });
  observer.observe(panel.window.document.body, { childList: true, subtree: true });
  const start = turnStart({ id: 's', question: { text: 'Why?', attachments: [] }, at: 1 });
  say({ type: 'events', events: [start, { type: 'text-delta', text: 'Because', at: 1 }] });
  await panel.until(isDrawn);
  return { panel, say };
}

describe('the card of a side chat', () => {
  it('shows its own turns as they stream, and acknowledges them', async () => {
    const { panel, say } = await openCard();
    const card = panel.element('.side-chat');
    assert.equal(card.getAttribute('aria-label'), 'Side Chat');
    assert.doesNotMatch(card.textContent, /Hello, you/);
    assert.doesNotMatch(panel.element('[role=log]').textContent, /Because/);
    say({ type: 'events', events: [{ type: 'text-delta', text: ' it is.', at: 1 }] });
    await panel.until(() => card.textContent.includes('Because it is.'));
    assert.equal(panel.sideMessages.filter(({ type }) => type === 'acknowledge').length, 2);
    assert.ok(panel.posted.every(({ type }) => type !== 'acknowledge'));
  });

  it('announces its reply in a live region of its own', async () => {
    const end = { type: 'turn-end', status: 'finished', at: 2 } as const;
    const { panel } = await openCard((say) => say({ type: 'events', events: [end] }));
    await panel.until(() => panel.all('.side-chat [role=status]')[0]?.textContent === '');
    await panel.drawn();
    const [ofCard, ofChat] = panel.texts('.announcer');
    assert.deepEqual([ofCard, ofChat], ['Reply: Because', '']);
  });

  it('stops its reply with its button, and closes on Escape without stopping the chat', async () => {
    const { panel } = await openCard();
    await panel.click('Stop Side Chat');
    const stops = panel.sideMessages.flatMap((message) =>
      message.type === 'call' ? [message.call.name] : [],
    );
    assert.deepEqual(stops, ['stop']);
    await panel.play(turnStart({ id: 'n', question: { text: 'More', attachments: [] }, at: 3 }));
    await panel.press('.side-chat-head button[aria-label="Open as Chat"]', 'Escape');
    assert.deepEqual(panel.requests(), [{ name: 'close-side-chat', parameters: {} }]);
    panel.post({ type: 'state', state: readyState });
    await panel.until(() => panel.all('.side-chat').length === 0);
    assert.equal(panel.activeElement, panel.element('.message-field'));
  });

  it('adds its turns to the chat only after the reply has ended', async () => {
    const { panel } = await openCard();
    await panel.click('Add to Chat');
    assert.deepEqual(panel.requests(), []);
    await panel.change({ sideChat: { ...sideChat, isRunning: false } });
    await panel.click('Add to Chat');
    await panel.click('Open as Chat');
    assert.deepEqual(panel.requests(), [
      { name: 'close-side-chat', parameters: { action: 'attach' } },
      { name: 'close-side-chat', parameters: { action: 'open' } },
    ]);
  });

  it('shows its own approvals, and sends the decision to the side chat', async () => {
    const { panel, say } = await openCard();
    const call = { id: 'c', name: 'look', arguments: '{}', round: 1, title: 'Look', icon: 'file' };
    const ask = (by: 'panel' | 'dialog'): HostMessage => ({
      type: 'events',
      events: [{ type: 'tool-call-ask', id: 'c', question: { by, forChat: false, files: [] } }],
    });
    say({ type: 'events', events: [{ type: 'tool-call-start', call }] });
    say(ask('dialog'));
    const card = panel.element('.side-chat');
    await panel.until(() => card.textContent.includes('Respond in the dialog to continue'));
    say(ask('panel'));
    await panel.until(() => panel.buttons('Allow Once').length === 1);
    assert.ok(card.contains(panel.button('Allow Once')));
    panel.button('Deny').focus();
    assert.equal(panel.activeElement, panel.button('Deny'));
    await panel.click('Deny');
    const decided = panel.sideMessages.flatMap((message) =>
      message.type === 'call' ? [message.call] : [],
    );
    assert.deepEqual(decided, [
      { name: 'decide', parameters: { turn: 's', call: 'c', decision: 'deny' } },
    ]);
    assert.deepEqual(panel.requests(), []);
  });
});

describe('Ask Aside', () => {
  it('sends the typed text, and shows its cost before', async () => {
    const state = { ...readyState, sideChatCost: { tokens: 40, perCharacter: 1 } };
    const panel = await PanelPage.open({ ...chatOf('chat', [turn]), state });
    assert.equal(panel.button('Ask Aside').getAttribute('aria-disabled'), 'true');
    await panel.type('.message-field', 'Why?');
    assert.match(panel.button('Ask Aside').title, /\(Ctrl\+Alt\+Q\)\n.*: ≈44$/);
    await panel.click('Ask Aside');
    assert.deepEqual(panel.requests(), [{ name: 'ask-side-chat', parameters: { text: 'Why?' } }]);
  });

  it('opens an input box if nothing is typed, and is disabled while a side chat replies', async () => {
    const panel = await PanelPage.open(chatOf('chat', [turn]));
    const press = (): Promise<void> =>
      panel.press('.message-field', 'q', { code: 'KeyQ', ctrlKey: true, altKey: true });
    await press();
    assert.deepEqual(panel.requests(), [{ name: 'run', parameters: { command: 'askAside' } }]);
    panel.post({ type: 'state', state: { ...readyState, sideChat } });
    await panel.type('.message-field', 'Why?');
    assert.equal(panel.button('Ask Aside').getAttribute('aria-disabled'), 'true');
  });

  it('is not offered in a chat without turns', async () => {
    const panel = await PanelPage.open();
    assert.equal(panel.buttons('Ask Aside').length, 0);
  });
});
