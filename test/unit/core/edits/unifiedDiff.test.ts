import assert from 'node:assert/strict';
import fc from 'fast-check';
import { unifiedDiff } from '../../../../src/core/edits/unifiedDiff.ts';

/** Carries a diff out, by its rules alone. */
function patch(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let line = 0;
  let last: string[] = [];
  for (const row of diff.match(/[^\n]*\n/g) ?? []) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@/.exec(row);
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      result.push(...old.slice(line, start));
      line = start;
    } else if (row.startsWith('\\')) last.push((last.pop() ?? '').replace(/\n$/, ''));
    else {
      const text = row.slice(1);
      last = row.startsWith('-') ? [] : result;
      if (!row.startsWith('+')) line++;
      if (!row.startsWith('-')) result.push(text);
    }
  }
  return [...result, ...old.slice(line)].join('');
}

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
