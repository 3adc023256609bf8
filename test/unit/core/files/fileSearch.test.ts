import assert from 'node:assert/strict';
import {
  excludeGlobs,
  includeGlobs,
  foundPathLabel,
  relativePath,
  searchStart,
} from '../../../../src/core/files/fileSearch.ts';
import type { Target } from '../../../../src/core/files/places.ts';
import { fileAt, target as targetAt } from '../approval/policyRig.ts';

function target(path: string, more: Partial<Target> = {}): Target {
  return targetAt(path, { inside: true, kind: 'folder', ...more });
}

function startOf(searched: Target, folder: string | undefined): readonly [string, string] {
  const { root, start } = searchStart(searched, folder);
  return [root.path, start];
}

describe('searchStart', () => {
  it('is relative to the workspace folder', () => {
    assert.deepEqual(startOf(target('/work/src/app'), '/work'), ['/work', 'src/app']);
    assert.deepEqual(startOf(target('/work/a.ts', { kind: 'file' }), '/work/'), ['/work', 'a.ts']);
    assert.deepEqual(startOf(target('/work'), '/work'), ['/work', '']);
    assert.deepEqual(startOf(target('/work', { kind: 'file' }), '/work'), ['/work', '']);
    assert.deepEqual(startOf(target('/a', { kind: 'file' }), '/'), ['/', 'a']);
    assert.deepEqual(startOf(target('/c:/a', { kind: 'file' }), '/c:'), ['/c:/', 'a']);
  });

  it('finds the real root if the workspace folder is behind a link', () => {
    const linked = target('/real/src', { named: fileAt('/link/src') });
    assert.deepEqual(startOf(linked, '/link'), ['/real', 'src']);
  });

  it('is relative to the target if a link leads elsewhere', () => {
    const linked = target('/elsewhere/deep', { named: fileAt('/work/link') });
    assert.deepEqual(startOf(linked, '/work'), ['/elsewhere/deep', '']);
    const file = target('/elsewhere/a.ts', { kind: 'file' });
    assert.deepEqual(startOf(file, undefined), ['/elsewhere', 'a.ts']);
  });
});

describe('foundPathLabel', () => {
  it('labels a match like its target', () => {
    for (const [label, start, path, found] of [
      ['.', '', 'src/a.ts', 'src/a.ts'],
      ['one/src', 'src', 'src/a.ts', 'one/src/a.ts'],
      ['one', '', 'a.ts', 'one/a.ts'],
      ['src/a.ts', 'src/a.ts', 'src/a.ts', 'src/a.ts'],
      ['/etc', '', 'hosts', '/etc/hosts'],
    ] as const)
      assert.equal(foundPathLabel(target('', { label }), start, path), found);
  });
});

describe('relativePath', () => {
  it('compares whole names', () => {
    assert.equal(relativePath('/work', '/work/a'), 'a');
    assert.equal(relativePath('/work', '/workshop/a'), undefined);
    assert.equal(relativePath('/work/', '/work'), '');
    assert.equal(relativePath('/', '/a/b'), 'a/b');
  });
});

describe('globs of a scope', () => {
  it('also match from the start of the search', () => {
    assert.deepEqual(includeGlobs('src', '*.ts'), ['*.ts']);
    assert.deepEqual(includeGlobs('src', '**/a/*.ts'), ['**/a/*.ts']);
    assert.deepEqual(includeGlobs('src', 'a/*.ts'), ['a/*.ts', 'src/a/*.ts']);
    assert.deepEqual(includeGlobs('', 'a/*.ts'), ['a/*.ts']);
    assert.deepEqual(includeGlobs('src', ''), []);
    assert.deepEqual(includeGlobs('', '*.ts, *.tsx,'), ['*.ts', '*.tsx']);
    assert.deepEqual(includeGlobs('', 'a.{ts,tsx}'), ['a.{ts,tsx}']);
    assert.deepEqual(includeGlobs('', 'src'), ['src', 'src/**']);
    assert.deepEqual(includeGlobs('', 'src/'), ['src/**']);
    assert.deepEqual(includeGlobs('a', 'b/'), ['b/**', 'a/b/**']);
  });

  it('exclude files by the settings, relative to the root', () => {
    const files = { '**/.git': true, build: true, '**/*.js': { when: '$(basename).ts' }, a: false };
    assert.deepEqual(excludeGlobs(files, undefined, { '**/node_modules': true }), [
      ...['**/.git', '/build', '**/node_modules'],
    ]);
  });
});
