import assert from 'node:assert/strict';
import type { RequestOptions } from '../../../src/core/conversation/conversation.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat } from './tools.ts';

const name = 'Send without Tools';

describe('the switch of the tools', () => {
  function open(options: RequestOptions, toolTokens?: number): Promise<PanelPage> {
    const cost = { ...readyState.cost, ...(toolTokens === undefined ? {} : { toolTokens }) };
    return PanelPage.open({
      conversation: { ...chat(), options },
      state: { ...readyState, cost },
    });
  }

  it('keeps the other options, says what it saves, and shows what is on', async () => {
    const panel = await open({ temperature: 0.5 }, 1400);
    const state = (): unknown => panel.button(name).getAttribute('aria-pressed');
    assert.equal(state(), 'false');
    assert.match(panel.button(name).title, /saves ≈1\.4k tokens per request/);
    await panel.click(name);
    assert.equal(state(), 'true');
    await panel.click(name);
    assert.equal(state(), 'false');
    assert.deepEqual(panel.requests(), [
      { type: 'set-options', options: { temperature: 0.5, withoutTools: true } },
      { type: 'set-options', options: { temperature: 0.5 } },
    ]);
  });

  it('is kept by the form of the options, which it does not mark as changed', async () => {
    const panel = await open({ withoutTools: true }, 1400);
    assert.equal(panel.all('.options-button.changed, .chip.option').length, 0);
    await panel.click('Options');
    await panel.until(() => panel.all('[role=dialog]').length === 1);
    panel.all('[role=dialog] [type=checkbox]')[0]?.click();
    await panel.drawn();
    assert.deepEqual(panel.requests(), [
      { type: 'set-options', options: { json: true, withoutTools: true } },
    ]);
  });

  it('is there for models with tools, and where it is on', async () => {
    assert.equal((await open({})).buttons(name).length, 0);
    assert.equal((await open({ withoutTools: true })).buttons(name).length, 1);
  });
});
