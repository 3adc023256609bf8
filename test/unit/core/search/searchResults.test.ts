import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FoundLine } from '../../../../src/core/search/fileSearch.ts';
import { maxMatches, SearchResults } from '../../../../src/core/search/searchResults.ts';

const seed = Number(process.env['SEED'] ?? 7);

function line(path: string, number: number, text = 'x', fits = true): FoundLine {
  return { path, line: number, text, fits };
}

function render(lines: readonly FoundLine[], skip = 0): string {
  const results = new SearchResults();
  for (const line of lines) results.add(line);
  return results.render(skip);
}

function many(count: number, path = 'a.ts'): readonly FoundLine[] {
  return Array.from({ length: count }, (_, index) => line(path, index + 1, `line ${index + 1}`));
}

describe('SearchResults', () => {
  it('groups lines by file, in the order of names', () => {
    assert.equal(
      render([line('b.ts', 3, 'three'), line('a.ts', 1, 'one'), line('b.ts', 9, 'nine')]),
      'a.ts\n1:one\n\nb.ts\n3:three\n9:nine',
    );
  });

  it('marks surrounding lines, and gaps between them', () => {
    const lines = [
      ...[line('a', 1, 'before', false), line('a', 2, 'hit'), line('a', 3, 'after', false)],
      ...[line('a', 8, 'before', false), line('a', 9, 'hit')],
    ];
    assert.equal(render(lines), 'a\n1-before\n2:hit\n3-after\n--\n8-before\n9:hit');
  });

  it('keeps the name of a file on its line', () => {
    assert.equal(render([line('a\nsrc/b.ts', 1, 'one')]), 'a\\u{a}src/b.ts\n1:one');
  });

  it('says that line numbers of notebooks are those of the file', () => {
    assert.match(
      render([line('a.ipynb', 7, '"x = 1"')]),
      /^a\.ipynb \(lines of the JSON; read_file shows the cells, .*\)\n7:"x = 1"$/,
    );
  });

  it('says if there are no matches', () => {
    assert.equal(render([]), 'Nothing found.');
  });

  it('says how many more matches there are, and how to get them', () => {
    const lines = [...many(150, 'a'), ...many(100, 'b'), ...many(7, 'c')];
    const text = render(lines);
    assert.match(
      text,
      /\(57 more in 2 files\. Narrow the search, or repeat it with skip: 200\.\)$/,
    );
    const next = render(lines, maxMatches);
    assert.match(next, /^b\n51:line 51\n/);
    assert.match(next, /c\n1:line 1\n/);
    assert.doesNotMatch(next, /more/);
  });

  it('limits long lines too', () => {
    const text = render(many(200).map((entry) => ({ ...entry, text: 'y'.repeat(400) })));
    assert.ok(text.length < 30_000);
    assert.match(text, /more in 1 file\./);
  });

  it('stops at its maximum number of lines', () => {
    const results = new SearchResults();
    let count = 0;
    while (results.add(line('a', count + 1))) count++;
    assert.equal(count, 9_999);
    assert.match(results.render(0), /more than 9800 more/);
  });

  it('shows each line once when paging', () => {
    const files = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(files, (counts) => {
        const lines = counts.flatMap((count, index) => many(count, `file${index}`));
        let seen = 0;
        for (let skip = 0, open = true; open;) {
          const text = render(lines, skip);
          seen += text.match(/^\d+:/gm)?.length ?? 0;
          const next = /with skip: (\d+)/.exec(text);
          open = next !== null;
          assert.ok(!open || Number(next?.[1]) > skip, 'The next page would be the same.');
          skip = Number(next?.[1]);
        }
        assert.equal(seen, lines.length);
      }),
      { seed, numRuns: 50 },
    );
  });
});
