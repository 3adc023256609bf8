import assert from 'node:assert/strict';
import type { RequestOptions } from '../../../src/core/conversation/conversation.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat } from './tools.ts';

const name = 'Send without Tools';

describe('the switch of the tools', () => {
  async function open(options: RequestOptions, toolTokens?: number): Promise<PanelPage> {
    const cost = { ...readyState.cost, ...(toolTokens === undefined ? {} : { toolTokens }) };
    const panel = await PanelPage.open({
      conversation: { ...chat(), options },
      state: { ...readyState, cost },
    });
    await panel.click('Options');
    await panel.until(() => panel.all('[role=dialog]').length === 1);
    return panel;
  }

  const switches = (panel: PanelPage): readonly HTMLElement[] =>
    panel
      .all('[role=dialog] .check-label')
      .filter(({ textContent }) => textContent === name)
      .flatMap((label) => label.querySelector('input') ?? []);

  async function press(panel: PanelPage): Promise<void> {
    switches(panel)[0]?.click();
    await panel.drawn();
  }

  it('is an option that keeps the others, and says what it saves', async () => {
    const panel = await open({ temperature: 0.5 }, 1400);
    const id = switches(panel)[0]?.getAttribute('aria-describedby') ?? '';
    const note = panel.window.document.getElementById(id)?.textContent;
    assert.equal(note, 'Saves ≈1.4k tokens per request');
    await press(panel);
    await press(panel);
    assert.deepEqual(panel.requests(), [
      { name: 'set-options', parameters: { options: { temperature: 0.5, withoutTools: true } } },
      { name: 'set-options', parameters: { options: { temperature: 0.5 } } },
    ]);
  });

  it('marks the options as changed, with a chip that brings the tools back', async () => {
    const panel = await open({ json: true, withoutTools: true }, 1400);
    assert.equal(panel.all('.options-button.changed').length, 1);
    const names = panel.all('.chip.option .chip-name').map(({ textContent }) => textContent);
    assert.deepEqual(names, ['JSON reply', 'Without tools']);
    await panel.click('Send with Tools');
    assert.deepEqual(panel.requests(), [
      { name: 'set-options', parameters: { options: { json: true } } },
    ]);
  });

  it('is there for models with tools, and where it is on', async () => {
    assert.equal(switches(await open({})).length, 0);
    assert.equal(switches(await open({ withoutTools: true })).length, 1);
  });

  it('is the only place for it: the composer has one button that configures', async () => {
    const panel = await open({}, 1400);
    const [bar] = panel.all('.composer-bar');
    const buttons = [...(bar?.children ?? [])].flatMap((child) =>
      [...child.querySelectorAll(':scope > button'), child].filter((candidate) =>
        candidate.matches('button'),
      ),
    );
    const names = buttons.map((button) => button.getAttribute('aria-label'));
    assert.deepEqual(names, ['Attach…', 'Model: mistralai/mistral-small', 'Options', 'Send']);
  });
});
