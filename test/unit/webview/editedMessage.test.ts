import assert from 'node:assert/strict';
import type { Turn } from '../../../src/core/conversation/conversation.ts';
import type { AttachmentChip } from '../../../src/protocol/messages.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat, finished } from './tools.ts';

const field = '[aria-label="Edited Message"]';
const chip: AttachmentChip = {
  id: 'a1',
  name: 'app.ts',
  path: 'src/app.ts',
  icon: 'file-code',
  tokens: 1234,
  state: 'attached',
};
const attachment = { id: 'a1', name: 'app.ts', path: 'src/app.ts', language: '', text: 'x' };
const turn: Turn = { ...finished, question: { text: 'Why?', attachments: [attachment] } };

describe('an earlier message that is edited', () => {
  function post(panel: PanelPage, attachments: readonly AttachmentChip[], tokens = 500): void {
    const cost = { tokens, perCharacter: 1 };
    panel.post({ type: 'state', state: { ...readyState, edits: { turn: { attachments, cost } } } });
  }

  async function open(): Promise<PanelPage> {
    const panel = await PanelPage.open({ conversation: chat(turn) });
    await panel.click('Edit Message');
    assert.deepEqual(panel.requests(), [{ name: 'edit-message', parameters: { turn: 'turn' } }]);
    assert.equal(panel.all('.question .chip').length, 1);
    post(panel, [chip]);
    await panel.until(() => panel.all('.edited-foot .cost').length === 1);
    return panel;
  }

  it('shows its attachments, which can be opened and removed as in the composer', async () => {
    const panel = await open();
    assert.equal(panel.all('.question .chip').length, 1);
    await panel.click('app.ts, ≈1.2k tokens');
    panel.button('Remove app.ts').focus();
    await panel.click('Remove app.ts');
    assert.deepEqual(panel.requests().slice(1), [
      { name: 'show-attachment', parameters: { attachment: 'a1', edited: 'turn' } },
      { name: 'remove-attachment', parameters: { attachment: 'a1', edited: 'turn' } },
    ]);
    assert.equal(panel.activeElement, panel.element(field));
    post(panel, []);
    await panel.drawn();
    assert.equal(panel.all('.question .chip').length, 0);
  });

  it('shows the cost of sending it, including the typed text', async () => {
    const panel = await open();
    await panel.type(field, 'x'.repeat(100));
    assert.match(panel.element('.edited-foot .cost').textContent, /600 tokens/);
    post(panel, [chip], 5000);
    await panel.drawn();
    assert.match(panel.element('.edited-foot .cost').textContent, /5\.1k tokens/);
  });

  it('accepts picked, dropped, pasted and completed attachments', async () => {
    const panel = await open();
    const { Event } = panel.window;
    const bring = (type: string, name: string, types: Readonly<Record<string, string>>): void => {
      const data = {
        types: Object.keys(types),
        files: [],
        getData: (key: string) => types[key] ?? '',
      };
      const event = new Event(type, { bubbles: true, cancelable: true });
      Object.assign(event, { [name]: data });
      panel.element(field).dispatchEvent(event);
    };
    await panel.click('Attach to Edited Message…');
    bring('drop', 'dataTransfer', { 'text/uri-list': 'file:///a.ts' });
    bring('paste', 'clipboardData', { 'text/plain': 'file:///b.ts' });
    await panel.type(field, '@te');
    await panel.until(() => panel.requests().some(({ name }) => name === 'complete'));
    const items = [{ id: 'te.ts', label: 'te.ts', icon: 'file-code' }];
    await panel.answer('complete', { items, mayGrow: false });
    await panel.until(() => panel.all('.question [role=option]').length === 1);
    await panel.press(field, 'Enter');
    assert.equal(Reflect.get(panel.element(field), 'value'), '');
    assert.deepEqual(panel.requests().slice(1), [
      { name: 'attach', parameters: { edited: 'turn' } },
      { name: 'attach-addresses', parameters: { addresses: ['file:///a.ts'], edited: 'turn' } },
      { name: 'attach-addresses', parameters: { addresses: ['file:///b.ts'], edited: 'turn' } },
      { name: 'complete', parameters: { trigger: '@', query: 'te', edited: 'turn' } },
      { name: 'choose-completion', parameters: { id: 'te.ts', edited: 'turn' } },
    ]);
    await panel.type(field, '/ex');
    assert.equal(panel.requests().length, 6, 'commands are for new messages');
  });

  it('is canceled with Escape, which the host is notified of', async () => {
    const panel = await open();
    await panel.press(field, 'Escape');
    assert.deepEqual(panel.requests().at(-1), {
      name: 'stop-editing',
      parameters: { turn: 'turn' },
    });
    assert.equal(panel.all('.question .chip').length, 1);
  });
});
