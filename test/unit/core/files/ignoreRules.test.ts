import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { IgnoreRules, isIgnored } from '../../../../src/core/files/ignoreRules.ts';
import { runs } from '../../../support/sample.ts';

describe('IgnoreRules', () => {
  it('reads any long line in linear time', () => {
    for (const piece of [' ', '\\ ', '[', '!', '#', '/', '*', '\r', '{a,b}']) {
      const rules = new IgnoreRules(`x${piece.repeat(runs(200_000))}x`, '');
      assert.equal(rules.ignores('y', false), undefined, piece);
    }
  });

  it('applies rules relative to their folder, the innermost first', () => {
    const outer = new IgnoreRules('*.txt', '');
    const inner = new IgnoreRules('!/a.txt', 'deep');
    assert.equal(isIgnored([outer, inner], 'deep/a.txt', false), false);
    assert.equal(isIgnored([outer, inner], 'deep/b.txt', false), true);
    assert.equal(isIgnored([outer, inner], 'deep/x/a.txt', false), true);
    assert.equal(isIgnored([], 'a.txt', false), false);
  });
});

/** Files whose names have what patterns are about. */
const files = [
  ...['a', 'b', 'ab', '7', 'A', ']', '-', 'x y', 'a.b', 'ü', '#a', '!a', '_'],
  ...['d/a', 'd/b', 'd/7.log', 'd/e/a', 'd/e/b', 'd/e/f/a', 'e/d/a', 'e/x', 'a7/b', 'a7/d/ab'],
];

/** A repository with a folder for each of several sets of rules, which all have the files. */
class Repository {
  readonly #root = mkdtempSync(join(tmpdir(), 'aside-rules-'));

  constructor(sets: number) {
    this.#git('init', '-q');
    for (let index = 0; index < sets; index++)
      for (const file of files) {
        const path = join(this.#root, `set${index}`, file);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, '');
      }
  }

  /** The files that Git doesn't ignore by each set of rules. */
  leftBy(sets: readonly string[]): readonly (readonly string[])[] {
    for (const [index, rules] of sets.entries())
      writeFileSync(join(this.#root, `set${index}`, '.gitignore'), rules);
    const listed = this.#git('ls-files', '--others', '--exclude-standard', '-z').split('\0');
    return sets.map((_, index) => listed.flatMap((path) => pathIn(`set${index}`, path)).toSorted());
  }

  remove(): void {
    rmSync(this.#root, { recursive: true });
  }

  #git(...given: readonly string[]): string {
    const fixed = ['-c', 'core.excludesFile=', '-c', 'core.ignoreCase=false'];
    return execFileSync('git', [...fixed, ...given], {
      cwd: this.#root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', HOME: this.#root },
    });
  }
}

function pathIn(folder: string, path: string): string | [] {
  const below = path.slice(folder.length + 1);
  return path.startsWith(`${folder}/`) && below !== '.gitignore' ? below : [];
}

function leftBy(rules: string): readonly string[] {
  const compiled = [new IgnoreRules(rules, '')];
  const isLeft = (path: string): boolean =>
    path.split('/').every((_, index, names) => {
      const part = names.slice(0, index + 1).join('/');
      return !isIgnored(compiled, part, index < names.length - 1);
    });
  return files.filter(isLeft).toSorted();
}

describe('the rules of Git', () => {
  const count = 40;
  let repository: Repository;
  before(() => (repository = new Repository(count)));
  after(() => repository.remove());

  const sets = [
    'd/**\n!d/a\n',
    'd/**/\n',
    'd/*\n!d/e\nd/e/*\n!d/e/a\n',
    '[[:digit:]]*\n',
    '*[![:alpha:]]*\n',
    '[[:upper:]]\n[[:nothing:]]\n[[:punct:]]\n',
    '[[:space:]a\n[a\na[\n[]\n[!]\n',
    '[]]\n[!]a]\n[]-a]\n[a-]\n[-a]\n[--0]\n',
    '[\\]]\n[\\a-b]\n[a-\\b]\n[[:]\n[[:a]\n',
    '?\n??\n',
    '**\n!d\n!d/**\n',
    '/**\n',
    '/**/a\n',
    '**/d/**/a\n',
    'd/**/**\n',
    'a**/b\n***/e\nd/***/b\n',
    'a\\\n\\a\nb\\\\ \n',
    '\\#a\n\\!a\n!#a\n',
    '#a\n  #b\n',
    'x\\ y  \nx y \n',
    '/\n//\n//a\n./a\n!\n\\\n',
    'd[/]e\n[d/]/a\n',
    '\ufeffa\r\nb\r\n',
    'ü\n[ü]\nd/?\n',
    '*\n!*/\n!a\n',
    '*.log\nd/\n!*.b\n',
    'a\\   \n     \n{a,b}\n{a,b\n',
  ];

  it('ignore the same files in known cases', () => {
    const expected = repository.leftBy(sets);
    for (const [index, rules] of sets.entries())
      assert.deepEqual(leftBy(rules), expected[index], JSON.stringify(rules));
  });

  it('ignore the same files in any case', () => {
    const piece = fc.constantFrom(
      ...[
        '*',
        '**',
        '***',
        '?',
        '/',
        '/**/',
        '**/',
        '/**',
        'a',
        'b',
        'd',
        'e',
        '7',
        '.',
        ' ',
        '\\',
      ],
      ...['[', ']', '[!', '[^', '-', '[a-b]', '[:digit:]', '[[:alpha:]]', '[![:upper:]', ':]', 'ü'],
    );
    const line = fc
      .tuple(fc.constantFrom('', '', '!', '/'), fc.array(piece, { minLength: 1, maxLength: 6 }))
      .map(([start, pieces]) => start + pieces.join(''))
      // Between stars and a slash, Git takes a backslash for more than an escape.
      .filter((text) => !text.includes('\\/'));
    const rules = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(fc.array(rules, { minLength: count, maxLength: count }), (generated) => {
        const expected = repository.leftBy(generated);
        for (const [index, set] of generated.entries())
          assert.deepEqual(leftBy(set), expected[index], JSON.stringify(set));
      }),
      { numRuns: runs(200, 40) },
    );
  }).timeout(120_000);
});
