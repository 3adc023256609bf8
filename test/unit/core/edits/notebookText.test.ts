import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  changeByNumbers,
  changeByText,
  type NotebookChange,
  type PlacedCell,
  mainLanguage,
  parseCells,
  renderCell,
  renderCells,
  type CellText,
} from '../../../../src/core/edits/notebookText.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { runs } from '../../../support/sample.ts';

const line = fc.constantFrom(
  '',
  'x = 1',
  'plt.show()',
  '%% cell',
  '%% cell 2 code python',
  '\\%% cell 3 markdown',
  '%%time',
  '%% cells',
  '# Title',
);
const source = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
const cell: fc.Arbitrary<CellText> = fc.oneof(
  source.map((text) => ({ kind: 'code' as const, language: 'python', source: text })),
  source.map((text) => ({ kind: 'code' as const, language: 'c++', source: text })),
  source.map((text) => ({ kind: 'markdown' as const, language: 'markdown', source: text })),
);
const cells = fc.array(cell, { maxLength: 6 });
const python = (text: string): CellText => ({ kind: 'code', language: 'python', source: text });
const numRuns = runs(2000);

/** The cells after the change, with their previous indexes. */
function changedCells(
  before: readonly CellText[],
  { sources, splices }: NotebookChange,
): readonly PlacedCell[] {
  const changed: PlacedCell[] = before.map((cell, from) => ({ ...cell, from }));
  for (const { index, source } of sources) {
    const cell = changed[index];
    assert.ok(cell !== undefined);
    changed[index] = { ...cell, source };
  }
  for (const { span, cells } of splices.toReversed())
    changed.splice(span.start, span.end - span.start, ...cells);
  return changed;
}

function texts(all: readonly CellText[]): readonly CellText[] {
  return all.map(({ kind, language, source: text }) => ({ kind, language, source: text }));
}

describe('the text of a notebook', () => {
  it('is read back as the same cells', () => {
    fc.assert(
      fc.property(cells, (all) => {
        const read = parseCells(renderCells(all));
        assert.deepEqual(texts(read), all);
        assert.deepEqual(
          read.map(({ number }) => number),
          all.map((_, index) => index + 1),
        );
      }),
      { numRuns },
    );
  });

  it('contains number, kind, language and unchanged lines of each cell', () => {
    const all: readonly CellText[] = [
      { kind: 'markdown', language: 'markdown', source: '# Title' },
      { kind: 'code', language: 'python', source: 'a = 1\nb = 2' },
      { kind: 'code', language: 'sql\n%% cell', source: '' },
    ];
    const text =
      '%% cell 1 markdown\n# Title\n%% cell 2 code python\na = 1\nb = 2\n%% cell 3 code sqlcell\n\n';
    assert.equal(renderCells(all), text);
    assert.equal(mainLanguage(all), 'python');
    assert.equal(mainLanguage([]), 'python');
  });

  it('may have new cells without number and language, and any line endings', () => {
    const text = '%% cell code\r\nx\r\n%% cell markdown\r\n%% cell 2 code r \r\ny';
    assert.deepEqual(parseCells(text, 'julia'), [
      { kind: 'code', language: 'julia', source: 'x' },
      { kind: 'markdown', language: 'markdown', source: '' },
      { number: 2, kind: 'code', language: 'r', source: 'y' },
    ]);
    assert.deepEqual(parseCells(''), []);
    const added = renderCell({ kind: 'code', language: 'python', source: 'x' });
    assert.equal(added, '%% cell code python\nx\n');
  });

  it('is refused with a message if it has another format', () => {
    const assertRefused = (text: string, words: RegExp): void =>
      assert.throws(
        () => parseCells(text),
        (error) => error instanceof ToolError && words.test(error.message),
      );
    assertRefused(
      'x\n%% cell 1 markdown\n',
      /begins with the first line of a cell.*%% cell code python/,
    );
    assertRefused('{"cells": []}', /begins with the first line/);
    assertRefused('%% cell 1 markdown\n%% cell python\nx\n', /"%% cell python" begins no cell/);
  });
});

describe('the change of a notebook', () => {
  it('gives the cells of the edited text, with and without numbers', () => {
    fc.assert(
      fc.property(
        cells,
        fc.array(fc.tuple(cell, fc.nat(8)), { maxLength: 7 }),
        (before, edited) => {
          const after = edited.map(([cell, number]) => (number === 0 ? cell : { ...cell, number }));
          const byNumbers = changedCells(before, changeByNumbers(before, after));
          assert.deepEqual(texts(byNumbers), texts(after));
          const byText = changedCells(before, changeByText(before, after));
          assert.deepEqual(texts(byText), texts(after));
          for (const changed of [byNumbers, byText]) {
            const from = changed.flatMap((cell) => cell.from ?? []);
            assert.equal(new Set(from).size, from.length, 'No cell becomes two.');
          }
        },
      ),
      { numRuns },
    );
  });

  it('changes only one cell if one source changes, even among equal cells', () => {
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        source,
        (all, at, to) => {
          const index = at % all.length;
          const after = all.map((cell, i) => (i === index ? { ...cell, source: to } : cell));
          const isSame = all[index]?.source === to;
          const sources = isSame ? [] : [{ index, source: to }];
          const numbered = parseCells(renderCells(after));
          assert.deepEqual(changeByNumbers(all, numbered), { sources, splices: [] });
          assert.deepEqual(changeByText(all, after), { sources, splices: [] });
        },
      ),
      { numRuns },
    );
  });

  it('changes no other cell if one is inserted or deleted', () => {
    fc.assert(
      fc.property(cells, fc.nat(), cell, (all, at, added) => {
        const index = at % (all.length + 1);
        const numbered = parseCells(renderCells(all));
        const inserted = changeByNumbers(all, numbered.toSpliced(index, 0, added));
        const span = { start: index, end: index };
        assert.deepEqual(inserted, { sources: [], splices: [{ span, cells: [added] }] });
        if (index === all.length) return;
        const deleted = changeByNumbers(all, numbered.toSpliced(index, 1));
        const gone = { start: index, end: index + 1 };
        assert.deepEqual(deleted, { sources: [], splices: [{ span: gone, cells: [] }] });
      }),
      { numRuns },
    );
  });

  it("keeps a cell's data when it moves, but not for copies", () => {
    const all = ['a', 'b', 'c'].map(python);
    const [first, second, third] = parseCells(renderCells(all));
    assert.ok(first && second && third);
    const origins = (after: Parameters<typeof changeByNumbers>[1]): unknown =>
      changedCells(all, changeByNumbers(all, after)).map(({ from }) => from);
    assert.deepEqual(origins([third, first, second]), [2, 0, 1]);
    assert.deepEqual(origins([first, second, second, third]), [0, 1, undefined, 2]);
  });

  it('finds the previous cell of a changed one by its text', () => {
    const origins = (from: readonly string[], to: readonly string[]): unknown => {
      const before = from.map(python);
      return changedCells(before, changeByText(before, to.map(python))).map((cell) => cell.from);
    };
    const undone = ['a = 1', 'new', 'b = 2\nb += 1', 'c'];
    assert.deepEqual(origins(['a = 1', 'b = 1\nb += 1', 'c'], undone), [0, undefined, 1, 2]);
    const restored = ['high = 9\nlow = 4', 'print(high - low)'];
    assert.deepEqual(origins(['print(high)'], restored), [undefined, 0]);
  });
});
