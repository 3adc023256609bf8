import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  fileOfComment,
  fileOfInfo,
  fileOfLine,
  languageOfInfo,
  fileOfAddress,
  fileOfCode,
  fileWords,
} from '../../../../src/webview/markdown/namedFile.ts';
import { openPage } from '../page.ts';
import { runs } from '../../../support/sample.ts';
import { assertSameStreamed, render } from './rendering.ts';

openPage();

/** `path` or `path@line`; empty if no file is named. */
function written(file: { path: string; line?: number } | undefined): string {
  if (file === undefined) return '';
  return file.line === undefined ? file.path : `${file.path}@${file.line}`;
}

function headers(container: HTMLElement): string[] {
  return [...container.querySelectorAll('.code-header')].map(
    (header) => header.querySelector('.code-file, .code-language')?.textContent ?? '',
  );
}

describe('The line of a fence names a file', () => {
  const table: Readonly<Record<string, readonly [file: string, language: string]>> = {
    ts: ['', 'ts'],
    'ts title=src/a.ts': ['src/a.ts', 'ts'],
    'ts title="src/a.ts"': ['src/a.ts', 'ts'],
    'tsx {1,3} file=app/[id]/page.tsx': ['app/[id]/page.tsx', 'tsx'],
    'ts src/a.ts': ['src/a.ts', 'ts'],
    'ts:src/a.ts': ['src/a.ts', 'ts'],
    'ts:src/a.ts:10': ['src/a.ts@10', 'ts'],
    'src/a.ts': ['src/a.ts', 'ts'],
    'src/a.ts#L10-L20': ['src/a.ts@10', 'ts'],
    '10:20:src/a.py': ['src/a.py@10', 'py'],
    'App.vue': ['App.vue', 'vue'],
    'python scripts\\run.py': ['scripts/run.py', 'python'],
    // Not a path, or not certainly one.
    Makefile: ['', 'Makefile'],
    'c++': ['', 'c++'],
    'vb.net': ['', 'vb.net'],
    'ts title="An example"': ['', 'ts'],
    'ts title="../outside.ts"': ['', 'ts'],
    'ts title=/etc/passwd': ['', 'ts'],
    'js node.js': ['', 'js'],
    'ts src/a.ts src/b.ts': ['src/a.ts', 'ts'],
    'ts https://example.com/a.ts': ['', 'ts'],
    'sh -e': ['', 'sh'],
  };
  for (const [info, [file, language]] of Object.entries(table)) {
    it(JSON.stringify(info), () => {
      assert.equal(written(fileOfInfo(info)), file);
      assert.equal(languageOfInfo(info), language);
    });
  }
});

describe('The line above a block names a file', () => {
  const table: Readonly<Record<string, string>> = {
    '`src/a.ts`': 'src/a.ts',
    '`src/a.ts`:': 'src/a.ts',
    '**src/a.ts**': 'src/a.ts',
    '**`src/a.ts`**:': 'src/a.ts',
    '`src/a.ts:12-20`': 'src/a.ts@12',
    'File: `src/a.ts`': 'src/a.ts',
    '**File:** `src/a.ts`': 'src/a.ts',
    'Change this in `src/a.ts`:': 'src/a.ts',
    'Change `toFahrenheit` in **`src/a.ts`**:': 'src/a.ts',
    'In `src/a.ts`, that is in `src/a.ts`:': 'src/a.ts',
    'Put this into `package.json`:': 'package.json',
    'Ignore it in `.gitignore`:': '.gitignore',
    'Build it with this `Makefile`:': 'Makefile',
    // Not certainly the file of the block.
    'src/a.ts': '',
    'See `src/a.ts`': '',
    'Move it from `src/a.ts` to `src/b.ts`:': '',
    'Print it with `console.log`:': '',
    'With `Node.js`:': '',
    'With `fs/promises.readFile`:': '',
    'On `https://example.com/a.html`:': '',
    'Version `1.2.3`:': '',
    'Answer `text/html`:': '',
    'In `../other/a.ts`:': '',
    'In `/etc/hosts.conf`:': '',
    'In `my file.ts`:': '',
    '**Note**': '',
    [`${'word '.repeat(250)}\`src/a.ts\`:`]: '',
  };
  for (const [line, file] of Object.entries(table))
    it(line.slice(-60), () => assert.equal(written(fileOfLine(line, false)), file));

  it('and so does a heading, also without markup', () => {
    const named = (line: string): string => written(fileOfLine(line, true));
    assert.equal(named('src/a.ts'), 'src/a.ts');
    assert.equal(named('1. `src/a.ts`'), 'src/a.ts');
    assert.equal(named('2) src/a.ts:'), 'src/a.ts');
    assert.equal(named('Next.js'), '');
    assert.equal(named('The file src/a.ts'), '');
  });
});

describe('The first line of a block names a file', () => {
  const table: readonly (readonly [line: string, file: string, language?: string])[] = [
    ['// src/a.ts', 'src/a.ts'],
    ['// src/a.ts:10', 'src/a.ts@10'],
    ['/* src/a.css */', 'src/a.css'],
    ['<!-- web/index.html -->', 'web/index.html'],
    ['# app/main.py', 'app/main.py'],
    ['; init.el', ''],
    ['# README.md', '', 'markdown'],
    ['#main.css', ''],
    ['// see src/a.ts', ''],
    ['// console.log', ''],
    ['src/a.ts', ''],
    ['#include <a.h>', ''],
    ['--- a/src/a.ts', '', 'diff'],
    [`// ${'a/'.repeat(200)}a.ts`, ''],
  ];
  for (const [line, file, language = 'ts'] of table) {
    it(line.slice(0, 60), () => {
      assert.equal(written(fileOfComment(`${line}\nmore\n`, language)), file);
    });
  }
});

describe('The header of a block', () => {
  it('names the file instead of the language, the most explicit source first', () => {
    const text = [
      '```ts\nlet a;\n```',
      '`a.ts`:\n\n```ts\nlet a;\n```',
      '`a.ts`:\n\n```ts b.ts\nlet a;\n```',
      '`a.ts`:\n\n```ts\n// c.ts\nlet a;\n```',
      '- `d.ts`:\n  ```ts\n  let a;\n  ```',
      '`e.ts`:\n\n> ```ts\n> let a;\n> ```',
      '`f.ts`:\n\n    let a;',
    ];
    const expected = ['ts', 'a.ts', 'b.ts', 'c.ts', 'd.ts', 'ts', ''];
    assert.deepEqual(headers(render(text.join('\n\ntext\n\n'))), expected);
  });

  it('is the same for blocks below all kinds of lines, cut anywhere', () => {
    const pieces = fc.constantFrom(
      ...['`a.ts`:', '**b.ts**', '# c.ts', 'd.ts\n---', 'text', '- item', '- in `e.ts`:'],
      ...['> `f.ts`', '', '', '', '```ts', '```', '  ```ts g.ts', '  ```', '> ```', '> ```sh'],
      ...['// h.ts', '  let a;', '[r]: https://e.org', '[r] `i.ts`:', '  in `k.ts`:'],
      `${'words '.repeat(300)} \`j.ts\`:`,
    );
    const texts = fc.array(pieces, { maxLength: 14 }).map((lines) => lines.join('\n'));
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 12 }));
    const seed = Number(process.env['SEED'] ?? 7);
    fc.assert(fc.property(texts, sizes, assertSameStreamed), { numRuns: runs(400), seed });
  }).timeout(120_000);

  it('opens the file, and offers a shell block to the terminal', () => {
    const names = (text: string): (string | null)[] =>
      [...render(text).querySelectorAll('button')].map((button) =>
        button.getAttribute('aria-label'),
      );
    const [show, copy, more] = ['Show Code', 'Copy Code', 'More Code Actions…'];
    assert.deepEqual(names('```ts\na\n```'), [show, copy, 'Apply to File', more]);
    const ofShell = [show, copy, 'Run in Terminal', more];
    assert.deepEqual(names('```sh\na\n```'), ofShell);
    assert.deepEqual(names('```PowerShell\na\n```'), ofShell);
    const named = [show, 'Open run.sh:3', copy, 'Apply to File', more];
    assert.deepEqual(names('```sh run.sh:3\na\n```'), named);
  });
});

/** Texts with the file names expected in them: `words|path:line`. */
const plain: readonly (readonly [text: string, ...named: string[]])[] = [
  ['See src/a.ts', 'src/a.ts|src/a.ts'],
  ['src/a.ts.', 'src/a.ts|src/a.ts'],
  ['src/a.ts—the first', 'src/a.ts|src/a.ts'],
  ['(in src/a.ts:3)', 'src/a.ts:3|src/a.ts:3'],
  ['"src/a.ts"', 'src/a.ts|src/a.ts'],
  ['“src/a.ts”', 'src/a.ts|src/a.ts'],
  ["src/a.ts's end", 'src/a.ts|src/a.ts'],
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
  ['看 src/a.ts。', 'src/a.ts|src/a.ts'],
  // The host checks if these files exist.
  ['bin/run', 'bin/run|bin/run'],
  ['github.com/a/b.go', 'github.com/a/b.go|github.com/a/b.go'],
  ['and/or', 'and/or|and/or'],
  ['a.b.c', 'a.b.c|a.b.c'],
  ['https://example.org/src/a.ts'],
  ['vscode://file/src/a.ts'],
  ['command:aside.run'],
  ['javascript:alert(1)'],
  ['//example.org/a.ts'],
  ['1.2.3'],
  ['e.g. this'],
  ['Vue.js and Next.js'],
  ['me@example.org'],
  ['C:\\src\\a.ts'],
  ['/etc/passwd'],
  ['~/a.ts:1/..'],
  ['../a.ts'],
  ['src/../../a.ts'],
  ['src/'],
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
    const pieces = '( ) :1 / a/ . [ #L - a.ts:1- \\ {} 12: (1,2) (1 1,'.split(' ');
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
