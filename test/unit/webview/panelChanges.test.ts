import assert from 'node:assert/strict';
import type { AttachmentChip, PanelState } from '../../../src/protocol/messages.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat, finished } from './tools.ts';

const chip: AttachmentChip = {
  id: 'a',
  name: 'app.ts',
  path: 'src/app.ts',
  icon: 'file',
  tokens: 120,
  state: 'attached',
};
const { model } = readyState;
const queued = [{ id: 'q', text: 'And then?' }];
const held = 'This chat is open in another window.';

const changes: readonly (readonly [
  before: Partial<PanelState>,
  after: Partial<PanelState>,
  said: string,
])[] = [
  [{}, { model: { ...model, id: 'deepseek/chat' } }, 'Model: deepseek/chat'],
  [{}, { model: { ...model, id: '' } }, ''],
  [{}, { mode: 'ask' }, 'Mode: Ask'],
  [{}, { openElsewhere: true }, held],
  [{ openElsewhere: true }, {}, 'This chat is no longer open in another window.'],
  [{}, { notice: 'The chat cannot be saved.' }, 'The chat cannot be saved.'],
  [{ notice: 'The chat cannot be saved.' }, {}, ''],
  [{}, { attachments: [chip] }, 'Attached: app.ts'],
  [{}, { attachments: [{ ...chip, name: 'a\u202eb.ts' }] }, 'Attached: a\\u{202e}b.ts'],
  [{}, { attachments: [chip, { ...chip, id: 'b', name: 'b.ts' }] }, 'Attached: app.ts, b.ts'],
  [{}, { attachments: [{ ...chip, state: 'offered' }] }, ''],
  [{ attachments: [{ ...chip, state: 'offered' }] }, { attachments: [chip] }, 'Attached: app.ts'],
  [{ attachments: [chip] }, { attachments: [{ ...chip, state: 'unchanged' }] }, ''],
  [{ attachments: [chip] }, {}, ''],
  [{}, { queued }, 'Added to the queue'],
  [{ queued }, {}, ''],
  [{}, { notice: 'Full.', queued }, 'Full.\nAdded to the queue'],
];

describe('announcements of the panel state', () => {
  async function open(state: Partial<PanelState>): Promise<PanelPage> {
    const page = await PanelPage.open({
      conversation: chat(finished),
      state: { ...readyState, ...state },
    });
    await page.drawn();
    return page;
  }

  for (const [before, after, expected] of changes)
    it(`say “${expected}” after ${JSON.stringify(before)} and ${JSON.stringify(after)}`, async () => {
      const panel = await open(before);
      const first = panel.announcement;
      panel.post({ type: 'state', state: { ...readyState, ...after } });
      await panel.drawn();
      assert.equal(panel.announcement, expected === '' ? first : expected);
    });

  it('say that a chat is open in another window even if it was before', async () => {
    assert.equal((await open({ openElsewhere: true })).announcement, held);
  });

  it('say nothing else about another chat', async () => {
    const panel = await open({});
    const state = { ...readyState, attachments: [chip], queued, notice: 'Full.' };
    await panel.show({ conversation: { ...chat(), id: 'other' }, state });
    await panel.drawn();
    assert.equal(panel.announcement, '');
    const other = { ...chat(), id: 'third' };
    await panel.show({ conversation: other, state: { ...state, openElsewhere: true } });
    await panel.drawn();
    assert.match(panel.announcement, /^This chat is open in another window\./);
  });

  it('say once that a message is over a budget, not with each key', async () => {
    const budget = { of: 'chat', unit: 'tokens', limit: 200, remaining: 101, perToken: 1 } as const;
    const panel = await open({ cost: { ...readyState.cost, budget } });
    await panel.type('[aria-label=Message]', 'A long message');
    await panel.until(() => panel.announcement !== '');
    assert.match(panel.announcement, /budget/);
    const [announcement] = panel.element('.announcer').children;
    await panel.type('[aria-label=Message]', 'A longer message');
    assert.equal(panel.element('.announcer').children[0], announcement);
  });

  for (const [name, what, state] of [
    ['Remove app.ts', 'app.ts', { attachments: [chip] }],
    ['Remove Queued Message', 'And then?', { queued }],
  ] as const)
    it(`say what “${name}” has removed`, async () => {
      const panel = await open(state);
      await panel.click(name);
      await panel.drawn();
      assert.equal(panel.announcement, `Removed: ${what}`);
    });
});
