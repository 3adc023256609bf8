import fc from 'fast-check';
import assert from 'node:assert/strict';
import type { FoundLine } from '../../../../src/core/files/fileSearch.ts';
import {
  maxMatches,
  renderFiles,
  SearchResults,
} from '../../../../src/core/files/searchResults.ts';

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

/** The paths that a model reads from the list. */
function pathsOf(text: string): string[] {
  let folder = '';
  return text.split('\n').flatMap((line) => {
    if (line.startsWith(' ')) return [folder + line.slice(1)];
    if (!line.endsWith('/')) return [line];
    folder = line;
    return [];
  });
}

function files(folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${folder}file${index}.ts`);
}

describe('renderFiles', () => {
  it('lists files by folder, each folder with its whole path', () => {
    const paths = ['src/b.ts', 'README.md', 'src/core/a.ts', 'src/a.ts', 'web/deep/x.css'];
    assert.equal(
      renderFiles(paths),
      'README.md\nsrc/\n a.ts\n b.ts\nsrc/core/\n a.ts\nweb/deep/\n x.css',
    );
  });

  it('includes every path', () => {
    const name = fc.constantFrom('a', 'b', 'c.ts', 'd e');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 40 }), (paths) => {
        const files = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
        const listed = files.length === 0 ? [] : pathsOf(renderFiles(files));
        assert.deepEqual(listed.toSorted(), files.toSorted());
      }),
      { seed },
    );
  });

  it('summarizes the deepest folders if there are too many', () => {
    const text = renderFiles([
      ...files('src/', 20),
      ...files('src/generated/', 5000),
      ...files('src/generated/deep/', 10),
      ...files('test/', 10),
    ]);
    assert.match(text, /^src\/generated\/ \(5010 files\)$/m);
    assert.match(text, /^ file19\.ts$/m);
    assert.match(text, /^test\/\n file0\.ts/m);
    assert.match(text, /Folders with a number/);
    assert.ok(text.split('\n').length < 100);
  });

  it('limits any tree, and counts omitted files and folders', () => {
    const counts = fc.record({
      files: fc.constantFrom(0, 3, 299, 300, 599, 600, 601, 5000),
      folders: fc.constantFrom(0, 3, 299, 300, 599, 600, 601, 5000),
      inner: fc.constantFrom(0, 1, 700),
    });
    fc.assert(
      fc.property(counts, ({ files: fileCount, folders, inner }) => {
        const paths = Array.from({ length: folders }, (_, index) => [
          `d${index}/x`,
          ...(index === 0 ? files(`d${index}/e/`, inner) : []),
        ]);
        const lines = renderFiles([...files('', fileCount), ...paths.flat()]).split('\n');
        const note = lines.findIndex((line) => line.startsWith('(Folders with a number'));
        assert.ok((note < 0 ? lines.length : note) <= 601, `${lines.length} lines`);
        if (fileCount + folders <= 600) return;
        const hidden = (what: RegExp): number =>
          Number(
            lines.map((line) => what.exec(line)?.[1]).find((count) => count !== undefined) ?? 0,
          );
        const named = lines.filter((line) => /^file\d+\.ts$/.test(line)).length;
        assert.equal(named + hidden(/^… (\d+) more$/), fileCount);
        const listed = lines.filter((line) => /^d\d+\/ \(/.test(line)).length;
        assert.equal(listed + hidden(/^… (\d+) more folders$/), folders);
      }),
      { seed },
    );
  });
});
