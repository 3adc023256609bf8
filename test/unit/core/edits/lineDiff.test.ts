import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  applySplices,
  countChangedLines,
  diffLists,
  type Hunk,
  splicesBetween,
  splitLinesKeepingEnds,
  unifiedDiff,
  changedLines,
  changedLinesOf,
  outputOfChange,
} from '../../../../src/core/edits/lineDiff.ts';
import { changeInOutput } from '../../../../src/core/support/changedLines.ts';
import { patch } from '../../../support/patch.ts';

const seed = Number(process.env['SEED'] ?? 7);
const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

/** The list after applying the hunks. */
function withHunks(before: readonly string[], after: readonly string[], hunks: readonly Hunk[]) {
  const result: string[] = [];
  let position = 0;
  for (const hunk of hunks) {
    result.push(...before.slice(position, hunk.before.start));
    result.push(...after.slice(hunk.after.start, hunk.after.end));
    position = hunk.before.end;
  }
  return [...result, ...before.slice(position)];
}

function sizeOf(hunks: readonly Hunk[]): number {
  return hunks.reduce(
    (sum, { before, after }) => sum + before.end - before.start + after.end - after.start,
    0,
  );
}

/** The smallest number of differences, by the classic algorithm in quadratic time. */
function smallestDifference(before: readonly string[], after: readonly string[]): number {
  let row = Array.from({ length: after.length + 1 }, () => 0);
  for (const value of before) {
    const next = [0];
    for (const [index, other] of after.entries()) {
      const same = value === other ? (row[index] ?? 0) + 1 : 0;
      next.push(Math.max(same, row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return before.length + after.length - 2 * (row.at(-1) ?? 0);
}

describe('diffLists', () => {
  it('transforms one list into the other, with the fewest differences, apart from each other', () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        const hunks = diffLists(before, after);
        assert.deepEqual(withHunks(before, after, hunks), after);
        assert.equal(sizeOf(hunks), smallestDifference(before, after));
        for (const [index, hunk] of hunks.entries()) {
          assert.ok(sizeOf([hunk]) > 0);
          assert.ok(hunk.before.start > (hunks[index - 1]?.before.end ?? -1));
        }
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('transforms long lists that differ everywhere', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    const after = before.map((line, index) => (index % 2 === 0 ? line : `${line}!`));
    const start = performance.now();
    const hunks = diffLists(before, after);
    assert.deepEqual(withHunks(before, after, hunks), after);
    assert.equal(sizeOf(hunks), 20_000);
    const other = before.map((line) => `${line}?`);
    assert.equal(sizeOf(diffLists(before, other)), 40_000);
    const repeated = before.map((_, index) => String(index % 3));
    const shuffled = before.map((_, index) => String((index * 7 + (index >> 3)) % 5));
    assert.deepEqual(withHunks(repeated, shuffled, diffLists(repeated, shuffled)), shuffled);
    assert.ok(performance.now() - start < 15_000, `${performance.now() - start} ms`);
  });

  it('transforms one list into the other with the coarse algorithm too', () => {
    const word = fc.constantFrom('a', 'b');
    const unique = fc.nat({ max: 3000 }).map(String);
    const long = fc.array(fc.oneof(word, unique), { minLength: 700, maxLength: 1500 });
    fc.assert(
      fc.property(long, long, (before, after) => {
        assert.deepEqual(withHunks(before, after, diffLists(before, after)), after);
      }),
      { seed, numRuns: 20 },
    );
  });
});

describe('countChangedLines', () => {
  it('counts added and removed lines, including a changed last line break', () => {
    const cases: readonly (readonly [string, string, number, number])[] = [
      ['', 'a\nb\n', 2, 0],
      ['a\nb\n', '', 0, 2],
      ['a\nb\nc\n', 'a\nx\nc\n', 1, 1],
      ['a\nb', 'a\nb\n', 1, 1],
      ['a\nb\n', 'a\nb\nc', 1, 0],
      ['a\n', 'a\n', 0, 0],
    ];
    for (const [before, after, added, removed] of cases) {
      assert.deepEqual(countChangedLines(before, after), { added, removed });
    }
  });

  it('loses no line: added minus removed is the growth of the text', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\n'), { maxLength: 60 });
    fc.assert(
      fc.property(text, text, (first, second) => {
        const [before, after] = [first.join(''), second.join('')];
        const { added, removed } = countChangedLines(before, after);
        const growth = splitLinesKeepingEnds(after).length - splitLinesKeepingEnds(before).length;
        assert.equal(added - removed, growth);
        assert.equal(added + removed === 0, before === after);
      }),
      { seed, numRuns: 1000 },
    );
  });
});

const text = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '🦊', '🦉', ' '), { maxLength: 60 })
  .map((parts) => parts.join(''));

describe('changedLines', () => {
  const before = 'a\r\nb\nc\n';

  it('are the removed and the added lines with their numbers, up to a limit', () => {
    const { lines, more } = changedLines(before, 'a\r\nB\nc\nd\n', 2);
    assert.deepEqual(
      lines.map(({ sign, number, text }) => `${sign}${number} ${text}`),
      ['-2 b', '+2 B'],
    );
    assert.equal(more, 1);
  });

  it('are the same again in the output of a call, without secrets', () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const change = changedLines(before, `a\r\n\tb = '${token}'\n…4\n`, 3);
    const output = outputOfChange(change);
    assert.ok(!output.includes(token));
    const { lines, more } = changeInOutput(output) ?? { lines: [], more: 0 };
    assert.equal(more, change.more);
    assert.deepEqual(
      lines.map(({ sign, number }) => [sign, number]),
      change.lines.map(({ sign, number }) => [sign, number]),
    );
    assert.match(lines.find(({ sign }) => sign === '+')?.text ?? '', /^\tb = '/);
  });

  it('of several files are limited together, and counted in one output', () => {
    const file = { before, after: 'A\r\nB\nC\n' };
    const changes = changedLinesOf([file, file, file]).map(([, change]) => change);
    assert.deepEqual(
      changes.map(({ lines, more }) => [lines.length, more]),
      [
        [6, 0],
        [6, 0],
        [0, 6],
      ],
    );
    const change = changeInOutput([...changes, ...changes].map(outputOfChange).join(''));
    assert.equal(change?.lines.length, 24);
    assert.equal(change.more, 12);
  });

  it('are not in the output of a command, even if it has such a line', () => {
    for (const output of ['', 'total\n+3\tsrc/a.ts\n', '+3\tsrc/a.ts\n2 files', '…4 more\n'])
      assert.equal(changeInOutput(output), undefined);
  });
});

describe('splicesBetween', () => {
  it('transforms one text into the other, and splits no character and no line ending', () => {
    const isCut = (whole: string, offset: number): boolean =>
      /^(?:[\ud800-\udbff][\udc00-\udfff]|\r\n)$/.test(whole.slice(offset - 1, offset + 1));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const splices = splicesBetween(before, after);
        assert.equal(applySplices(before, splices), after);
        for (const { start, end } of splices)
          assert.equal(isCut(before, start) || isCut(before, end), false);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('changes only the differences', () => {
    const before = 'one\ntwo words here\nthree\nfour\n';
    const after = 'one\ntwo other words here\nthree\n4\n';
    assert.deepEqual(splicesBetween(before, after), [
      { start: 8, end: 8, text: 'other ' },
      { start: 25, end: 29, text: '4' },
    ]);
    assert.deepEqual(splicesBetween('same', 'same'), []);
  });
});

describe('applySplices', () => {
  it('accepts changes in any order, and adjacent ones, but none that overlap', () => {
    const [first, second, last] = [
      { start: 0, end: 2, text: '' },
      { start: 2, end: 3, text: 'C' },
      { start: 3, end: 3, text: '!' },
    ] as const;
    assert.equal(applySplices('abcd', [second, first, last]), 'C!d');
    assert.throws(() => applySplices('abcd', [{ ...first, end: 3 }, second]), RangeError);
  });
});

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
