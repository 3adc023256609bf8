import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { decisionTarget } = await withoutVsCode(
  () => import('../../../../src/host/review/decisions.ts'),
);

describe('the target of a decision', () => {
  it('is the hunk of the CodeLens', () => {
    const target = { address: 'file:///a.ts', hunk: 3 };
    assert.deepEqual(decisionTarget(target), target);
  });

  it('is the hunk at the cursor for keybindings of one hunk', () => {
    assert.equal(decisionTarget({ at: 'cursor' }), 'cursor');
  });

  it('is all changes of the editor otherwise', () => {
    const others = [undefined, null, 'cursor', {}, { address: 1 }, { at: 'end' }, { hunk: 1 }];
    for (const value of others) assert.equal(decisionTarget(value), 'editor');
  });
});
