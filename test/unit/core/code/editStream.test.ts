import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EditStream, type Row, type RowSplice } from '../../../../src/core/code/editStream.ts';

const seed = Number(process.env['SEED'] ?? 7);

function replay(rows: Row[], splices: readonly RowSplice[]): void {
  for (const { start, removed, rows: added } of splices) rows.splice(start, removed, ...added);
}

function textOf(rows: readonly Row[], without: Row['kind']): string[] {
  return rows.filter(({ kind }) => kind !== without).map(({ text }) => text);
}

/** Rows as a diff shows them. */
function shown(rows: readonly Row[]): string[] {
  const marks = { same: ' ', removed: '-', added: '+' };
  return rows.map(({ kind, text }) => marks[kind] + text);
}

/** Rows after an edit that came as one line at a time, before and after its end. */
function streamed(before: readonly string[], after: readonly string[]): [string[], string[]] {
  const stream = new EditStream(before);
  for (const line of after) stream.push(`${line}\n`);
  const running = shown(stream.rows);
  stream.end();
  return [running, shown(stream.rows)];
}

/** The most lines that two lists share in order, by the table that takes quadratic time. */
function mostShared(before: readonly string[], after: readonly string[]): number {
  let row = Array.from({ length: after.length + 1 }, () => 0);
  for (const value of before) {
    const next = [0];
    for (const [index, other] of after.entries()) {
      const both = value === other ? (row[index] ?? 0) + 1 : 0;
      next.push(Math.max(both, row[index + 1] ?? 0, next[index] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const line = fc.constantFrom(
  '',
  '}',
  '  }',
  'const a = 1;',
  'return a;',
  'if (a) {',
  'a',
  'call(b);',
);
const lines = fc.array(line, { maxLength: 25 });
const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 8 });
const lineEnd = fc.constantFrom('\n', '\r\n');

function pieces(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.toSorted((one, other) => one - other), text.length];
  return sorted.map((place, index) => text.slice(sorted[index - 1] ?? 0, place));
}

describe('EditStream', () => {
  it('keeps every old line in its place while code comes, and every line of the code', () => {
    fc.assert(
      fc.property(lines, lines, cuts, lineEnd, (before, after, places, end) => {
        const stream = new EditStream(before);
        const rows = [...stream.rows];
        assert.deepEqual(textOf(rows, 'added'), before);
        for (const piece of pieces(after.map((text) => text + end).join(''), places)) {
          replay(rows, stream.push(piece));
          assert.deepEqual(rows, stream.rows);
          assert.deepEqual(textOf(rows, 'added'), before);
          const come = textOf(rows, 'removed').slice(0, stream.after.length);
          assert.deepEqual(come, stream.after);
        }
        replay(rows, stream.end());
        assert.deepEqual(rows, stream.rows);
        assert.deepEqual(textOf(rows, 'removed'), after);
        assert.deepEqual(textOf(rows, 'added'), before);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('ends with as many unchanged lines as there can be, removed before added', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const stream = new EditStream(before);
        stream.push(after.map((text) => `${text}\n`).join(''));
        stream.end();
        const { rows } = stream;
        const kept = rows.filter(({ kind }) => kind === 'same').length;
        assert.equal(kept, mostShared(before, after));
        for (const [index, { kind }] of rows.entries()) {
          if (kind === 'removed') assert.notEqual(rows[index - 1]?.kind, 'added');
        }
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('reads the same rows from any pieces', () => {
    fc.assert(
      fc.property(lines, lines, cuts, (before, after, places) => {
        const whole = new EditStream(before);
        const cut = new EditStream(before);
        const text = after.join('\n');
        whole.push(text);
        for (const piece of pieces(text, places)) cut.push(piece);
        assert.deepEqual(cut.rows, whole.rows);
        whole.end();
        cut.end();
        assert.deepEqual(cut.rows, whole.rows);
      }),
      { seed, numRuns: 1000 },
    );
  });

  it('changes nothing for code that is the same', () => {
    const stream = new EditStream(['a', '', 'b']);
    assert.deepEqual(stream.push('a\r\n\r\nb'), []);
    assert.deepEqual(stream.end(), []);
  });

  it('takes the last line whether or not it has a line end', () => {
    for (const text of ['a\nc', 'a\nc\n']) {
      const stream = new EditStream(['a', 'b']);
      stream.push(text);
      stream.end();
      assert.deepEqual(shown(stream.rows), [' a', '-b', '+c']);
    }
  });

  it('removes everything where nothing comes', () => {
    const stream = new EditStream(['a', 'b']);
    stream.end();
    assert.deepEqual(shown(stream.rows), ['-a', '-b']);
  });

  const before = [
    'function sum(list) {',
    '  let all = 0;',
    '  for (const one of list) {',
    '    all += one;',
    '  }',
    '  return all;',
    '}',
  ];

  it('shows a changed line beside the old one at once', () => {
    const after = before.with(3, '    all += Number(one);');
    const [running, ended] = streamed(before, after);
    assert.deepEqual(running.slice(3, 6), ['+    all += Number(one);', '-    all += one;', '   }']);
    assert.deepEqual(ended.slice(3, 6), ['-    all += one;', '+    all += Number(one);', '   }']);
  });

  it('does not let a stray bracket take the rest of the code with it', () => {
    const guard = ['  if (!list) {', '    return 0;', '  }'];
    const after = [before[0] ?? '', ...guard, ...before.slice(1)];
    const stream = new EditStream(before);
    stream.push(
      after
        .slice(0, 4)
        .map((text) => `${text}\n`)
        .join(''),
    );
    assert.deepEqual(textOf(stream.rows, 'removed').slice(4), before.slice(1));
    const [running] = streamed(before, after);
    assert.equal(running.filter((row) => row.startsWith('-')).length, 0);
  });

  it('finds the code again behind a long part that was left out', () => {
    const long = Array.from({ length: 500 }, (_, index) => `  step(${index});`);
    const [running] = streamed(long, [...long.slice(0, 10), ...long.slice(150)]);
    assert.deepEqual(
      running.filter((row) => row.startsWith('+')),
      [],
    );
    const [, ended] = streamed(long, [...long.slice(0, 10), ...long.slice(400)]);
    assert.equal(ended.filter((row) => row.startsWith('-')).length, 390);
  });

  it('touches as many rows for each line, however long the code is', () => {
    const touched = (length: number): number => {
      const old = Array.from({ length }, (_, index) => (index % 5 === 4 ? '}' : `old(${index});`));
      const stream = new EditStream(old);
      let sum = 0;
      const count = (splices: readonly RowSplice[]): void => {
        for (const { removed, rows } of splices) sum += removed + rows.length;
      };
      for (const [index, text] of old.entries()) {
        count(stream.push(index % 3 === 0 ? `changed(${index});\n` : `${text}\n`));
      }
      count(stream.end());
      return sum / length;
    };
    const few = touched(200);
    assert.ok(few < 5, `${few} rows a line`);
    const many = touched(20_000);
    assert.ok(many < few * 1.1, `${many} rows a line`);
  });
});
