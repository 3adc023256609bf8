import assert from 'node:assert/strict';
import fc from 'fast-check';
import { unifiedDiff } from '../../../../src/core/edits/lineDiff.ts';
import { patch } from '../../../support/patch.ts';

describe('unifiedDiff', () => {
  it('is empty for equal texts', () => {
    assert.equal(unifiedDiff('a\nb', 'a\nb'), '');
  });

  it('includes the lines around a change, and separates changes', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index}\n`);
    const after = before.with(2, 'x\n').with(15, 'y\n');
    assert.equal(
      unifiedDiff(before.join(''), after.join('')),
      '@@ -1,5 +1,5 @@\n 0\n 1\n-2\n+x\n 3\n 4\n@@ -14,5 +14,5 @@\n 13\n 14\n-15\n+y\n 16\n 17\n',
    );
  });

  it('transforms one text into the other', () => {
    const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n');
    const text = fc
      .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('', 'end'))
      .map(([lines, end]) => lines.join('') + end);
    fc.assert(
      fc.property(text, text, (before, after) => {
        assert.equal(patch(before, unifiedDiff(before, after)), after);
      }),
    );
  });
});
