import assert from 'node:assert/strict';
import fc from 'fast-check';
import { numberedLines, readHunks } from '../../../../src/core/code/changeReview.ts';
import { unifiedDiff } from '../../../../src/core/edits/lineDiff.ts';

const anyText = fc
  .array(fc.constantFrom('a', 'b', '--- c', '+++ d', '@@ -1 +1 @@', '', '\\ x', '{'))
  .map((lines) => lines.map((line) => `${line}\n`).join(''));

describe('the lines of a diff', () => {
  it('have the numbers and the text of the lines of the changed file', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const lines = after.split('\n');
        const numbered = readHunks(unifiedDiff(before, after)).flatMap((hunk) => hunk.lines);
        for (const { line, text, kind } of numbered) {
          if (line === undefined) assert.equal(kind, 'removed');
          else assert.equal(text, lines[line - 1]);
        }
        const count = (kind: string): number =>
          numbered.filter((line) => line.kind === kind).length;
        const grown = lines.length - before.split('\n').length;
        assert.equal(count('added') - count('removed'), grown);
      }),
    );
  });

  it('are read from the output of Git, without headers and notes', () => {
    const diff = [
      ...['diff --git a/x b/x', 'index 1..2 100644', '--- a/x', '+++ b/x'],
      ...[
        '@@ -8,3 +8,3 @@ function f() {',
        ' a\r',
        '-b',
        '+c',
        '\\ No newline at end of file',
        ' d',
      ],
      ...['@@ -100 +100,2 @@', '+e', ' f', ''],
    ].join('\n');
    assert.deepEqual(numberedLines(readHunks(diff)), [
      ...['  8  a', '    -b', '  9 +c', ' 10  d', '…', '100 +e', '101  f'],
    ]);
  });

  it('are empty for binary files, merges and invalid input', () => {
    const diffs = ['', 'Binary files a/x and b/x differ\n', '@@@ -1 -1 +1 @@@\n++a\n', '+a\n-b\n'];
    for (const diff of diffs) assert.deepEqual(readHunks(diff), []);
  });
});
