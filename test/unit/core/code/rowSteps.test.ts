import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EditStream, type Row } from '../../../../src/core/code/editStream.ts';
import { OpenRows } from '../../../../src/core/code/openRows.ts';
import {
  decisionStep,
  hunksOf,
  streamStep,
  type RowStep,
} from '../../../../src/core/code/rowSteps.ts';
import { textChange, type TextChange } from '../../../../src/core/code/textChange.ts';

/** A text as an editor holds it. */
class Text {
  lines: string[];

  constructor(text: string) {
    this.lines = text.split('\n');
  }

  get text(): string {
    return this.lines.join('\n');
  }

  change({ startLine, startCharacter, endLine, endCharacter, text }: TextChange): void {
    const head = (this.lines[startLine] ?? '').slice(0, startCharacter);
    const tail = (this.lines[endLine] ?? '').slice(endCharacter);
    const lines = (head + text + tail).split('\n');
    this.lines.splice(startLine, endLine - startLine + 1, ...lines);
  }

  /** All edits by the text before them, as an editor does it. */
  do(step: RowStep | undefined, first: number): void {
    const shape = {
      lineCount: this.lines.length,
      lengthOf: (line: number) => this.lines[line]?.length ?? 0,
      lineEnd: '\n' as const,
    };
    const changes = step?.edits.map((edit) => textChange(edit, first, shape)) ?? [];
    for (const change of changes.toReversed()) this.change(change);
  }
}

const line = fc.constantFrom('a', 'b', 'c', '', '  x');
const lines = fc.array(line, { maxLength: 12 });

/** A document, the lines of it that are replaced, and what comes in their place. */
const edit = fc
  .record({ before: lines, old: lines, after: lines, fresh: lines, cut: fc.nat(40) })
  // A document without a line is one empty line, which then is the place.
  .filter(({ before, old, after }) => before.length + old.length + after.length > 0);

interface Edit {
  readonly before: readonly string[];
  readonly old: readonly string[];
  readonly after: readonly string[];
  readonly fresh: readonly string[];
  readonly cut: number;
}

function stream({ before, old, after, fresh, cut }: Edit): { text: Text; rows: OpenRows } {
  const text = new Text([...before, ...old, ...after].join('\n'));
  const source = new EditStream(old);
  const rows = new OpenRows(before.length, source.rows);
  const code = fresh.map((one) => `${one}\n`).join('');
  const pieces = [code.slice(0, cut), code.slice(cut)];
  for (const piece of [...pieces, undefined]) {
    const step = streamStep(rows.rows, piece === undefined ? source.end() : source.push(piece));
    text.do(step, rows.start);
    if (step !== undefined) rows.take(step);
    assert.deepEqual(rows.rows, source.rows);
    assert.deepEqual(
      text.lines.slice(rows.start, rows.end),
      rows.rows.map((row) => row.text),
    );
  }
  return { text, rows };
}

function decide({ text, rows }: ReturnType<typeof stream>, side: 'accept' | 'reject'): void {
  const step = decisionStep(rows.rows, side, { start: 0, end: rows.rows.length });
  text.do(step, rows.start);
  rows.take(step);
}

describe('a change in a document', () => {
  it('is the old text where it is rejected', () => {
    fc.assert(
      fc.property(edit, (given) => {
        const streamed = stream(given);
        decide(streamed, 'reject');
        const { before, old, after } = given;
        assert.deepEqual(streamed.text.lines, [...before, ...old, ...after]);
      }),
    );
  });

  it('is the new text where it is accepted', () => {
    fc.assert(
      fc.property(edit, (given) => {
        const streamed = stream(given);
        decide(streamed, 'accept');
        const { before, fresh, after } = given;
        const expected = [...before, ...fresh, ...after];
        // An editor always has a line.
        assert.deepEqual(streamed.text.lines, expected.length === 0 ? [''] : expected);
      }),
    );
  });

  it('is the same, decided part by part', () => {
    fc.assert(
      fc.property(edit, fc.infiniteStream(fc.boolean()), (given, choices) => {
        const { text, rows } = stream(given);
        for (let [hunk] = hunksOf(rows.rows); hunk; [hunk] = hunksOf(rows.rows)) {
          const side = choices.next().value === true ? 'accept' : 'reject';
          const kept = side === 'accept' ? 'added' : 'removed';
          const expected = [
            ...rows.rows.slice(0, hunk.start),
            ...rows.rows.slice(hunk.start, hunk.end).filter(({ kind }) => kind === kept),
            ...rows.rows.slice(hunk.end),
          ].map((row) => row.text);
          const step = decisionStep(rows.rows, side, hunk);
          text.do(step, rows.start);
          rows.take(step);
          const found = rows.rows.map((row) => row.text);
          assert.deepEqual(found, expected);
          if (found.length > 0) assert.deepEqual(text.lines.slice(rows.start, rows.end), expected);
        }
      }),
    );
  });

  it('costs as much as it is long', () => {
    const old = Array.from({ length: 2000 }, (_, index) => `line ${index}`);
    const source = new EditStream(old);
    const rows = new OpenRows(0, source.rows);
    let touched = 0;
    for (const [index, text] of old.entries()) {
      const step = streamStep(rows.rows, source.push(`${index % 3 === 0 ? 'new ' : ''}${text}\n`));
      if (step === undefined) continue;
      rows.take(step);
      touched += step.end - step.start + step.rows.length;
    }
    assert.ok(touched < 5 * old.length, String(touched));
  });

  it('touches no line that stays', () => {
    const shown: Row[] = ['a', 'b', 'c'].map((text) => ({ kind: 'same', text }));
    const step = streamStep(shown, [
      { start: 1, removed: 1, rows: [{ kind: 'removed', text: 'b' }] },
      { start: 2, removed: 0, rows: [{ kind: 'added', text: 'B' }] },
    ]);
    assert.deepEqual(step?.edits, [{ start: 2, end: 2, lines: ['B'] }]);
    assert.deepEqual([step.start, step.end], [1, 2]);
  });
});

describe('rows in a document that others write in', () => {
  const place = fc.record({
    startLine: fc.nat(9),
    startCharacter: fc.nat(3),
    lines: fc.nat(4),
    endCharacter: fc.nat(3),
    text: fc.constantFrom('', 'y', '\n', 'y\n', 'y\nz', '\n\ny'),
  });

  it('begin and end at the same lines', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.nat(5), place, (start, length, given) => {
        const text = new Text(Array.from({ length: 10 }, (_, i) => `l${i}`).join('\n'));
        const rows = new OpenRows(
          start,
          text.lines.slice(start, start + length).map((one) => ({ kind: 'added', text: one })),
        );
        const endLine = Math.min(given.startLine + given.lines, 9);
        const isOneLine = endLine === given.startLine;
        const change = {
          startLine: given.startLine,
          startCharacter: Math.min(given.startCharacter, 2),
          endLine,
          endCharacter: Math.max(
            Math.min(given.endCharacter, 2),
            isOneLine ? Math.min(given.startCharacter, 2) : 0,
          ),
          text: given.text,
        };
        const behind = text.lines.slice(rows.end);
        const isTouched = rows.follow(change);
        const before = [...text.lines];
        text.change(change);
        assert.ok(rows.start >= 0 && rows.end <= text.lines.length);
        if (isTouched) return;
        assert.deepEqual(
          text.lines.slice(rows.start, rows.end),
          before.slice(start, start + length),
        );
        if (change.endLine < start) assert.deepEqual(text.lines.slice(rows.end), behind);
      }),
    );
  });

  it('are told apart from what is written between their kinds', () => {
    const kinds = (...found: Row['kind'][]): Row[] => found.map((kind) => ({ kind, text: '' }));
    const insert = (line: number, text: string): TextChange => ({
      startLine: line,
      startCharacter: 0,
      endLine: line,
      endCharacter: 0,
      text,
    });
    const rows = new OpenRows(2, kinds('same', 'removed', 'added', 'added', 'same'));
    assert.equal(rows.follow(insert(0, 'above\n')), false);
    assert.deepEqual([rows.start, rows.end], [3, 8]);
    assert.equal(rows.follow(insert(6, 'among the new\n')), true);
    assert.deepEqual(
      rows.rows.map(({ kind }) => kind),
      ['same', 'removed', 'added', 'added', 'added', 'same'],
    );
    const across = { startLine: 4, startCharacter: 0, endLine: 5, endCharacter: 1, text: 'mine' };
    assert.equal(rows.follow(across), true);
    assert.deepEqual(
      rows.rows.map(({ kind }) => kind),
      ['same', 'same', 'added', 'added', 'same'],
    );
    assert.equal(rows.follow(insert(8, 'below\n')), false);
  });
});
