import assert from 'node:assert/strict';
import { IgnoreRules, isIgnored } from '../../../../src/core/search/globs.ts';
import { runs } from '../../../support/sample.ts';

function ignored(text: string, path: string, isFolder = false): boolean | undefined {
  return new IgnoreRules(text, '').ignores(path, isFolder);
}

describe('IgnoreRules', () => {
  it('ignores names anywhere, and paths relative to the folder', () => {
    assert.equal(ignored('*.log', 'a/b.log'), true);
    assert.equal(ignored('/dist', 'dist', true), true);
    assert.equal(ignored('/dist', 'a/dist', true), undefined);
    assert.equal(ignored('doc/*.txt', 'doc/a.txt'), true);
    assert.equal(ignored('doc/*.txt', 'x/doc/a.txt'), undefined);
    assert.equal(ignored('**/doc/*.txt', 'x/doc/a.txt'), true);
  });

  it('applies a trailing slash to folders only', () => {
    assert.equal(ignored('build/', 'build', true), true);
    assert.equal(ignored('build/', 'a/build', true), true);
    assert.equal(ignored('build/', 'build', false), undefined);
  });

  it('applies the last matching rule', () => {
    assert.equal(ignored('*.log\n!keep.log', 'keep.log'), false);
    assert.equal(ignored('!keep.log\n*.log', 'keep.log'), true);
  });

  it('reads comments, escapes, spaces and CRLF', () => {
    assert.equal(ignored('# a\r\n\r\na.txt \r\n', 'a.txt'), true);
    assert.equal(ignored('\\#a', '#a'), true);
    assert.equal(ignored('\\!a', '!a'), true);
    assert.equal(ignored('{a,b}', 'a'), undefined);
    assert.equal(ignored('{a,b}', '{a,b}'), true);
  });

  it('ignores trailing spaces, except for one after a backslash', () => {
    assert.equal(ignored('a\\   ', 'a '), true);
    assert.equal(ignored('a\\   ', 'a'), undefined);
    assert.equal(ignored(' a  ', ' a'), true);
    assert.equal(ignored('     ', ' '), undefined);
  });

  it('reads any long line in linear time', () => {
    for (const piece of [' ', '\\ ', '[', '!', '#', '/', '*', '\r', '{a,b}']) {
      assert.equal(ignored(`x${piece.repeat(runs(200_000))}x`, 'y'), undefined, piece);
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
