import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chatModes } from '../../../../src/core/conversation/mode.ts';
import { LastMode } from '../../../../src/host/chat/modeModel.ts';
import { FakeMemento } from '../fakes.ts';

describe('LastMode', () => {
  it('is the last choice in any window, and Agent if the stored value is not a mode', async () => {
    const modes = fc.array(fc.constantFrom(...chatModes), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(modes, fc.string(), async (chosen, other) => {
        const state = new FakeMemento();
        const [first, second] = [new LastMode(state), new LastMode(state)];
        for (const mode of chosen) await first.set(mode);
        assert.equal(second.current, chosen.at(-1) ?? 'agent');
        await state.update('aside.mode', `no ${other}`);
        assert.equal(second.current, 'agent');
      }),
      { numRuns: 50 },
    );
  });
});
