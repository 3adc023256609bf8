import assert from 'node:assert/strict';
import type { PanelState } from '../../../src/protocol/messages.ts';
import { turnWith, userMessage } from '../../support/turns.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat } from './tools.ts';

const plan = turnWith({
  question: { ...userMessage('Plan it.'), plan: true },
  mode: 'ask',
  parts: [{ type: 'text', text: '- [x] Look\n- [ ] Change `a.ts`' }],
  endedAt: 1,
  finishReason: 'stop',
});

function open(state: Partial<PanelState>): Promise<PanelPage> {
  return PanelPage.open({ conversation: chat(plan), state: { ...readyState, ...state } });
}

describe('a plan in the panel', () => {
  it('has buttons that start and edit it, until it is started', async () => {
    const panel = await open({ plan: plan.id });
    assert.equal(panel.button('Start').title, 'Switch to Agent and carry out the plan');
    await panel.click('Start');
    await panel.click('Edit Plan');
    assert.deepEqual(panel.requests(), [
      { name: 'plan', parameters: { turn: 't', action: 'start' } },
      { name: 'plan', parameters: { turn: 't', action: 'edit' } },
    ]);
    panel.post({ type: 'state', state: readyState });
    await panel.drawn();
    assert.deepEqual([panel.buttons('Start'), panel.buttons('Edit Plan')], [[], []]);
  });

  it('has no buttons if another reply is the plan, and disabled ones if another window writes', async () => {
    const other = await open({ plan: 'other' });
    assert.deepEqual(other.buttons('Start'), []);
    const held = await open({ plan: plan.id, openElsewhere: true });
    assert.ok(held.button('Start').hasAttribute('disabled'));
  });
});
