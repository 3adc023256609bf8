import assert from 'node:assert/strict';
import {
  fileOfAddress,
  fileOfCode,
  fileWords,
} from '../../../../src/webview/markdown/namedFile.ts';
import { runs } from '../../../support/sample.ts';

/** Texts with the file names expected in them: `words|path:line`. */
const plain: readonly (readonly [text: string, ...named: string[]])[] = [
  ['See src/a.ts', 'src/a.ts|src/a.ts'],
  ['src/a.ts.', 'src/a.ts|src/a.ts'],
  ['src/a.ts, then', 'src/a.ts|src/a.ts'],
  ['src/a.ts:', 'src/a.ts|src/a.ts'],
  ['src/a.ts—the first', 'src/a.ts|src/a.ts'],
  ['(src/a.ts)', 'src/a.ts|src/a.ts'],
  ['(in src/a.ts:3)', 'src/a.ts:3|src/a.ts:3'],
  ['"src/a.ts"', 'src/a.ts|src/a.ts'],
  ['“src/a.ts”', 'src/a.ts|src/a.ts'],
  ["src/a.ts's end", 'src/a.ts|src/a.ts'],
  ['src/a.ts:12', 'src/a.ts:12|src/a.ts:12'],
  ['src/a.ts:12-20', 'src/a.ts:12-20|src/a.ts:12'],
  ['src/a.ts:12:4', 'src/a.ts:12:4|src/a.ts:12'],
  ['src/a.ts#L12', 'src/a.ts#L12|src/a.ts:12'],
  ['src/a.ts(12)', 'src/a.ts(12)|src/a.ts:12'],
  ['src/a.ts(12, 3)', 'src/a.ts(12, 3)|src/a.ts:12'],
  ['(src/a.ts, (1,2))', 'src/a.ts|src/a.ts'],
  ['a.ts(12,3),b.ts(4,5)', 'a.ts(12,3)|a.ts:12', 'b.ts(4,5)|b.ts:4'],
  ['src/a.ts:L12-L20', 'src/a.ts:L12-L20|src/a.ts:12'],
  ['src/a.ts:12:4-13:5', 'src/a.ts:12:4-13:5|src/a.ts:12'],
  ['src/a.ts#L12C3-L20C5', 'src/a.ts#L12C3-L20C5|src/a.ts:12'],
  ['app/(group)/a.ts(7)', 'app/(group)/a.ts(7)|app/(group)/a.ts:7'],
  ['.\\src\\a.ts', '.\\src\\a.ts|src/a.ts'],
  ['My Files/a.ts', 'Files/a.ts|Files/a.ts'],
  ['src/a.ts:0', 'src/a.ts:0|src/a.ts'],
  ['./src/a.ts', './src/a.ts|src/a.ts'],
  ['src\\a.ts', 'src\\a.ts|src/a.ts'],
  ['src/a.ts and b/c.py', 'src/a.ts|src/a.ts', 'b/c.py|b/c.py'],
  ['README.md', 'README.md|README.md'],
  ['.gitignore', '.gitignore|.gitignore'],
  ['the Makefile', 'Makefile|Makefile'],
  ['.github/workflows/ci.yml', '.github/workflows/ci.yml|.github/workflows/ci.yml'],
  ['app/(group)/page.tsx', 'app/(group)/page.tsx|app/(group)/page.tsx'],
  ['app/[id]/page.tsx', 'app/[id]/page.tsx|app/[id]/page.tsx'],
  ['packages/@a/b.ts', 'packages/@a/b.ts|packages/@a/b.ts'],
  ['src/ünï.ts', 'src/ünï.ts|src/ünï.ts'],
  ['看 src/a.ts。', 'src/a.ts|src/a.ts'],
  // The host checks if these files exist.
  ['bin/run', 'bin/run|bin/run'],
  ['github.com/a/b.go', 'github.com/a/b.go|github.com/a/b.go'],
  ['and/or', 'and/or|and/or'],
  ['a.b.c', 'a.b.c|a.b.c'],
  ['a.b.d'],
  ['https://example.org/src/a.ts'],
  ['file:///src/a.ts'],
  ['vscode://file/src/a.ts'],
  ['command:aside.run'],
  ['javascript:alert(1)'],
  ['//example.org/a.ts'],
  ['1.2.3'],
  ['e.g. this'],
  ['console.log'],
  ['node.js'],
  ['Vue.js and Next.js'],
  ['me@example.org'],
  ['C:\\src\\a.ts'],
  ['/etc/passwd'],
  ['~/a.ts:1/..'],
  ['../a.ts'],
  ['src/../../a.ts'],
  ['src/'],
  ['word'],
  [''],
];

describe('words that may name a file', () => {
  for (const [text, ...named] of plain) {
    it(`in ${JSON.stringify(text)}: ${named.length}`, () => {
      const names = fileWords(text).map(({ start, end, file }) => {
        const line = file.line === undefined ? '' : `:${file.line}`;
        return `${text.slice(start, end)}|${file.path}${line}`;
      });
      assert.deepEqual(names, named);
    });
  }

  it('in inline code are only paths, names and symbols', () => {
    const named = (code: string): unknown => fileOfCode(code)?.file;
    assert.deepEqual(named('src/a.ts:3'), { path: 'src/a.ts', line: 3 });
    for (const name of ['a.ts', 'toFahrenheit', 'a.strange', 'node.js'])
      assert.deepEqual(named(name), { path: name });
    assert.deepEqual(named('My Files/a.ts:3'), { path: 'My Files/a.ts', line: 3 });
    assert.deepEqual(named('a file.md'), { path: 'a file.md' });
    assert.deepEqual(named('src\\a.ts(12,3)'), { path: 'src/a.ts', line: 12 });
    for (const code of ['My Files/../a.ts', 'f(12, 3) + 1', 'https://e.org/a b.ts', ' /a b.ts'])
      assert.equal(named(code), undefined, code);
    assert.deepEqual(named('toFahrenheit()'), { path: 'toFahrenheit' });
    assert.deepEqual(fileOfCode(' a.ts ')?.start, 1);
    for (const code of ['npm run test', 'a = b', '', ' ', '../a.ts', 'https://e.org/a', '<b>'])
      assert.equal(named(code), undefined, code);
  });

  it('are taken from the address of a link', () => {
    assert.deepEqual(fileOfAddress('the code (src/a.ts#L3)')?.file, { path: 'src/a.ts', line: 3 });
    assert.deepEqual(fileOfAddress('x (My%20Files/%C3%BC.ts)')?.file, { path: 'My Files/ü.ts' });
    assert.deepEqual(fileOfAddress('x (src%5Ca.ts)')?.file, { path: 'src/a.ts' });
    for (const link of [
      'x (src/%2E%2E/a.ts)',
      'x (%2Fetc/passwd)',
      'x (a%3A//b.ts)',
      'x (a%/%zz.ts)',
    ])
      assert.equal(fileOfAddress(link), undefined, link);
    assert.deepEqual(fileOfAddress('src/a.ts')?.file, { path: 'src/a.ts' });
    for (const link of ['x (command:a)', 'x (../a.ts)', 'x (/etc/passwd)', 'x (file:///a.ts)'])
      assert.equal(fileOfAddress(link), undefined, link);
  });

  it('are found in linear time, for any text', () => {
    const pieces = [
      '(',
      ')',
      ':1',
      '/',
      'a/',
      '.',
      '[',
      '#L',
      '-',
      'a.ts:1-',
      '\\',
      '{}',
      '12:',
      '(1,2)',
      '(1',
      '1,',
    ];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(runs(1_000_000) / piece.length));
      assert.deepEqual(fileWords(text), [], piece);
      assert.equal(fileOfCode(text), undefined, piece);
      assert.equal(fileOfAddress(text), undefined, piece);
    }
    // Short words are examined, and none of these hides the file after it.
    const short = pieces.map((piece) => `${piece.repeat(190 / piece.length)} `).join('');
    const names = fileWords(`${short}src/a.ts `.repeat(100)).filter(
      ({ file }) => file.path === 'src/a.ts',
    );
    assert.equal(names.length, 100);
  });
});
