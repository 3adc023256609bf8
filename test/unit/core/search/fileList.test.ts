import assert from 'node:assert/strict';
import fc from 'fast-check';
import { renderFiles } from '../../../../src/core/search/searchResults.ts';

const seed = Number(process.env['SEED'] ?? 7);

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
