import assert from 'node:assert/strict';
import { renderLocatedLines } from '../../../../src/core/tools/results.ts';

const locatedLines = [
  { label: 'b.ts', line: 3, text: 'error: no' },
  { label: 'a.ts', line: 1, text: '' },
  { label: 'b.ts', line: 9, text: 'warning: well' },
];
const moreNote = (count: number): string => `(${count} more)`;

describe('renderLocatedLines', () => {
  it('names each file once, in the order of the lines', () => {
    const text = 'b.ts\n3: error: no\n9: warning: well\n\na.ts\n1';
    assert.equal(renderLocatedLines(locatedLines, { most: 10, noteOmitted: moreNote }), text);
  });

  it('counts omitted lines', () => {
    assert.equal(
      renderLocatedLines(locatedLines, { most: 1, noteOmitted: moreNote }),
      'b.ts\n3: error: no\n\n(2 more)',
    );
  });
});
