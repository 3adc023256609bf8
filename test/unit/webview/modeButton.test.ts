import assert from 'node:assert/strict';
import type { ChatMode } from '../../../src/core/conversation/mode.ts';
import { PanelPage, readyState } from './panel.ts';
import { chat } from './tools.ts';

describe('the button of the mode', () => {
  function open(mode: ChatMode, toolTokens?: number): Promise<PanelPage> {
    const cost = { ...readyState.cost, ...(toolTokens === undefined ? {} : { toolTokens }) };
    return PanelPage.open({ conversation: chat(), state: { ...readyState, mode, cost } });
  }

  for (const [mode, name] of [
    ['chat', 'Mode: Chat'],
    ['ask', 'Mode: Ask'],
    ['agent', 'Mode: Agent'],
  ] as const)
    it(`shows the mode ${mode}, and opens the list of modes`, async () => {
      const panel = await open(mode);
      await panel.click(name);
      assert.deepEqual(panel.requests(), [{ name: 'run', parameters: { command: 'setMode' } }]);
    });

  it('says why the model gets no tools, and offers to try refused ones again', async () => {
    for (const [toolObstacle, words] of [
      ['refused', /This model refused tools/],
      ['model', /can't use tools/],
      ['setting', /turned off in the settings/],
      ['untrusted', /Trust this workspace/],
      ['empty', /Open a folder or a file/],
    ] as const) {
      const panel = await PanelPage.open({
        conversation: chat(),
        state: { ...readyState, mode: 'ask', toolObstacle },
      });
      assert.match(panel.button('Mode: Ask').title, words);
      assert.equal(panel.buttons('Try Tools Again').length, toolObstacle === 'refused' ? 1 : 0);
      if (toolObstacle === 'refused') {
        assert.match(panel.button('Try Tools Again').title, words);
        await panel.click('Try Tools Again');
        assert.deepEqual(panel.requests(), [{ name: 'try-tools', parameters: {} }]);
        panel.post({ type: 'state', state: { ...readyState, mode: 'chat', toolObstacle } });
        await panel.drawn();
        assert.equal(panel.buttons('Try Tools Again').length, 0);
      }
      panel.close();
    }
  });

  it('shows the tokens of tools per request, and that Chat has none', async () => {
    const agent = await open('agent', 1100);
    assert.match(agent.button('Mode: Agent').title, /Tools: ≈1\.1k tokens per request/);
    const plain = await open('chat', 1100);
    assert.doesNotMatch(plain.button('Mode: Chat').title, /1\.1k/);
  });
});
