import assert from 'node:assert/strict';
import { countTests, failuresIn } from '../../support/countTests.ts';

describe('countTests', () => {
  it('reads the summary of mocha, even in color', () => {
    const output = '\u001b[92m \u001b[0m\u001b[32m 12 passing\u001b[0m\u001b[90m (3s)\u001b[0m\n';
    assert.deepEqual(countTests(output, 0, true), { passed: 12, failed: 0 });
  });

  it('reads failures', () => {
    const output = '  12 passing (1m)\n  3 failing\n\n  1) a test\n';
    assert.deepEqual(countTests(output, 3, true), { passed: 12, failed: 3 });
  });

  it('uses the last summary, which is of the run itself', () => {
    const output = '  1 passing (2ms)\n  9 failing\n  4 passing (1s)\n';
    assert.deepEqual(countTests(output, 0, true), { passed: 4, failed: 0 });
  });

  it('reads a line of totals', () => {
    assert.deepEqual(countTests('68 streams\n340 passed, 2 failed\n', 1, true), {
      passed: 340,
      failed: 2,
    });
  });

  it('counts a failure that is not in the summary', () => {
    assert.deepEqual(countTests('  12 passing (1s)\n', 7, true), { passed: 12, failed: 1 });
  });

  it('counts a part without a summary as one test', () => {
    assert.deepEqual(countTests('', 0, false), { passed: 1, failed: 0 });
    assert.deepEqual(countTests('error', 2, false), { passed: 0, failed: 1 });
  });

  it('counts tests that did not run as a failure', () => {
    assert.deepEqual(countTests('nothing', 0, true), { passed: 0, failed: 1 });
  });
});

describe('failuresIn', () => {
  it('finds what mocha printed after its summary', () => {
    const output =
      '  ✔ one\n\u001b[32m  2 passing\u001b[0m\n\u001b[31m  1 failing\u001b[0m\n\n  1) a test\n';
    assert.equal(failuresIn(output), '  1 failing\n\n  1) a test');
  });

  it('is limited, and returns the end of an output without a summary', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    assert.equal(
      failuresIn(['  1 failing', ...lines].join('\n'))
        .split('\n')
        .at(-1),
      'line 58',
    );
    assert.equal(failuresIn(lines.join('\n')).split('\n').at(0), 'line 40');
  });
});
