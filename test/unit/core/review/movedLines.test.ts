import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findAnchor, followLines } from '../../../../src/core/review/movedLines.ts';
import type { TextChange } from '../../../../src/core/review/reviewHunk.ts';

function apply(lines: readonly string[], change: TextChange): readonly string[] {
  const { startLine, startCharacter, endLine, endCharacter, text } = change;
  const before = [...lines.slice(0, startLine), (lines[startLine] ?? '').slice(0, startCharacter)];
  const after = [(lines[endLine] ?? '').slice(endCharacter), ...lines.slice(endLine + 1)];
  return (before.join('\n') + text + after.join('\n')).split('\n');
}

const lines = ['zero', 'one', 'two', 'three', 'four', 'five'];
const position = fc.tuple(fc.nat(lines.length - 1), fc.nat(5)).map(([line, character]) => ({
  line,
  character: Math.min(character, lines[line]?.length ?? 0),
}));
const anyChange = fc
  .tuple(position, position, fc.constantFrom('', 'x', '\n', 'x\ny', '\n\nx\n'))
  .map(([anchor, active, text]): TextChange => {
    const isOrdered =
      anchor.line < active.line ||
      (anchor.line === active.line && anchor.character <= active.character);
    const [start, end] = isOrdered ? [anchor, active] : [active, anchor];
    return {
      startLine: start.line,
      startCharacter: start.character,
      endLine: end.line,
      endCharacter: end.character,
      text,
    };
  });

describe('lines of a changing text', () => {
  it("stay within the text, and on the same lines if those don't change", () => {
    const anyRange = fc.tuple(fc.nat(5), fc.nat(5)).map(([start, end]) => ({
      first: Math.min(start, end),
      last: Math.max(start, end),
    }));
    fc.assert(
      fc.property(anyRange, anyChange, (range, change) => {
        const after = apply(lines, change);
        const moved = followLines(range, change);
        const isTouched = change.startLine <= range.last && change.endLine >= range.first;
        const isInside = change.startLine >= range.first && change.endLine <= range.last;
        if (moved === undefined) {
          assert.ok(isTouched && !isInside);
          return;
        }
        const { first, last } = moved;
        assert.ok(first >= 0 && first <= last && last < after.length, `${first}-${last}`);
        if (isTouched) return;
        assert.deepEqual(after.slice(first, last + 1), lines.slice(range.first, range.last + 1));
      }),
    );
  });

  it('move down when text is typed above them, and grow when text is typed inside', () => {
    const insert = (startLine: number, startCharacter: number, text: string): TextChange => ({
      startLine,
      startCharacter,
      endLine: startLine,
      endCharacter: startCharacter,
      text,
    });
    const range = { first: 2, last: 3 };
    assert.deepEqual(followLines(range, insert(2, 0, 'x\n')), { first: 3, last: 4 });
    assert.deepEqual(followLines(range, insert(1, 3, '\n')), { first: 3, last: 4 });
    assert.deepEqual(followLines(range, insert(2, 1, '\n')), { first: 2, last: 4 });
    assert.deepEqual(followLines(range, insert(3, 5, 'x')), range);
    assert.deepEqual(followLines(range, insert(4, 0, '\n')), range);
    const beyond = { ...insert(1, 1, 'x\ny'), endLine: 2, endCharacter: 1 };
    assert.equal(followLines(range, beyond), undefined);
  });

  it('are found again at the nearest position', () => {
    const text = ['a', 'b', 'x', 'a', 'b', 'a'];
    assert.deepEqual(findAnchor(text, ['a', 'b'], 0), { first: 0, last: 1 });
    assert.deepEqual(findAnchor(text, ['a', 'b'], 2), { first: 3, last: 4 });
    assert.deepEqual(findAnchor(text, ['a', 'b'], 99), { first: 3, last: 4 });
    assert.deepEqual(findAnchor(text, ['c', 'd'], 1), { first: 1, last: 2 });
    assert.deepEqual(findAnchor(text, ['c', 'd'], 99), { first: 5, last: 5 });
    assert.deepEqual(findAnchor([''], ['c'], 3), { first: 0, last: 0 });
  });
});
