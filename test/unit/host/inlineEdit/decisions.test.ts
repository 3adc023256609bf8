import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { decisionTarget } = await withoutVsCode(
  () => import('../../../../src/host/inlineEdit/decisions.ts'),
);

describe('what a decision is about', () => {
  it('is told by the button above the code', () => {
    const target = { address: 'file:///a.ts', line: 3, part: 'hunk' };
    assert.deepEqual(decisionTarget(target), target);
  });

  it('is the part at the cursor for the keys that say so', () => {
    assert.equal(decisionTarget({ at: 'cursor' }), 'cursor');
  });

  it('is all in the editor for everybody else', () => {
    const others = [undefined, null, 'cursor', {}, { address: 1 }, { at: 'end' }, { line: 1 }];
    for (const given of others) assert.equal(decisionTarget(given), 'editor');
  });
});
