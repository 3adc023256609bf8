import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FuzzyPathIndex } from '../../../../src/core/files/fuzzyPathIndex.ts';

const files = [
  'README.md',
  'src/app.ts',
  'src/application/start.ts',
  'src/core/attach/fuzzyFind.ts',
  'src/core/tools/fileList.ts',
  'test/unit/app.test.ts',
  'test/snap/map.txt',
];
const paths = new FuzzyPathIndex(files);
const find = (query: string, recent: readonly string[] = []): readonly string[] =>
  paths.find(query, 20, recent);

describe('FuzzyPathIndex', () => {
  it('includes the folders of the files', () => {
    assert.equal(find('/').filter((path) => path.endsWith('/')).length, 8);
    assert.equal(find('attach')[0], 'src/core/attach/');
  });

  it('ranks names before paths, and beginnings before middles', () => {
    assert.deepEqual(find('app').slice(0, 3), [
      'src/app.ts',
      'src/application/',
      'test/unit/app.test.ts',
    ]);
    assert.ok(find('ap').indexOf('test/snap/') > find('ap').indexOf('src/app.ts'));
    assert.ok(find('start').indexOf('src/application/start.ts') === 0);
  });

  it('matches the beginnings of words', () => {
    assert.equal(find('ff')[0], 'src/core/attach/fuzzyFind.ts');
    assert.equal(find('flist')[0], 'src/core/tools/fileList.ts');
    assert.equal(find('FILELIST')[0], 'src/core/tools/fileList.ts');
  });

  it('matches a part of a path', () => {
    assert.equal(find('core/to')[0], 'src/core/tools/');
    assert.equal(find('unit/app')[0], 'test/unit/app.test.ts');
    assert.equal(find('s/c/f')[0], 'src/core/tools/fileList.ts');
  });

  it('ranks recently used files first among equal matches', () => {
    assert.equal(find('app', ['test/unit/app.test.ts'])[0], 'test/unit/app.test.ts');
    assert.equal(find('', ['test/snap/map.txt'])[0], 'test/snap/map.txt');
    assert.equal(find('app', ['test/snap/map.txt'])[0], 'src/app.ts');
  });

  it('returns nothing without a match', () => {
    assert.deepEqual(find('xyz'), []);
    assert.deepEqual(new FuzzyPathIndex([]).find('a', 10), []);
  });

  it('matches any letters of a path in order, and returns the best of all matches', () => {
    const path = fc.stringMatching(/^[a-cA-C_.]{1,6}(\/[a-cA-C_.]{1,6}){0,3}$/);
    const generated = fc.tuple(
      fc.uniqueArray(path, { minLength: 1, maxLength: 30 }),
      fc.array(fc.boolean()),
    );
    fc.assert(
      fc.property(generated, ([all, mask]) => {
        const [first = ''] = all;
        const query = Array.from(first)
          .filter((_, index) => mask[index] ?? false)
          .join('');
        const index = new FuzzyPathIndex(all);
        const paths = index.find(query, 1000);
        assert.ok(paths.includes(first), `${query} in ${first}`);
        assert.deepEqual(index.find(query, 3), paths.slice(0, 3));
      }),
    );
  });
});
