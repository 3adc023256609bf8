import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento } from '../fakes.ts';

const { matchingInstructions, recentInstructions, rememberInstruction } = await withoutVsCode(
  () => import('../../../../src/host/editor/editCommands.ts'),
);

describe('the instruction input', () => {
  it('offers the typed text first, then recent instructions that contain it', () => {
    const recent = ['Add types', 'Handle an empty list', 'Remove types'];
    assert.deepEqual(matchingInstructions('', recent), recent);
    assert.deepEqual(matchingInstructions('TYPES', recent), ['TYPES', 'Add types', 'Remove types']);
    assert.deepEqual(matchingInstructions('Add types', recent), ['Add types']);
  });

  it('remembers the last twenty, each once, the newest first', async () => {
    const state = new FakeMemento();
    for (let count = 0; count < 25; count++) await rememberInstruction(state, `number ${count}`);
    await rememberInstruction(state, 'number 10');
    const recent = recentInstructions(state);
    assert.equal(recent.length, 20);
    assert.deepEqual(recent.slice(0, 3), ['number 10', 'number 24', 'number 23']);
    assert.equal(recent.filter((entry) => entry === 'number 10').length, 1);
  });

  it('starts empty if the stored value is invalid', () => {
    const state = new FakeMemento();
    void state.update('editInstructions', { what: 1 });
    assert.deepEqual(recentInstructions(state), []);
  });
});
