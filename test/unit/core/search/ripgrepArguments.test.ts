import assert from 'node:assert/strict';
import type { SearchScope, TextQuery } from '../../../../src/core/search/fileSearch.ts';
import { nothingLeftOut } from '../../../support/nothingLeftOut.ts';
import {
  inputArguments,
  listArguments,
  searchArguments,
} from '../../../../src/core/search/ripgrep.ts';

const root = { scheme: 'file', authority: '', path: '/work' };
const scope: SearchScope = {
  root,
  start: 'src',
  include: [],
  exclude: ['**/.git', '/build'],
  leftOut: nothingLeftOut,
};
const query: TextQuery = { text: 'x', isRegex: false, context: 0 };

describe('the arguments of ripgrep', () => {
  it('never make ripgrep read a configuration', () => {
    for (const list of [
      listArguments(scope),
      searchArguments(scope, query),
      inputArguments(query),
    ]) {
      assert.equal(list[0], '--no-config');
    }
  });

  it("can't be mistaken for options, whatever a model writes", () => {
    const hostile = '--pre=/tmp/evil';
    const list = searchArguments(
      { ...scope, start: hostile, include: [hostile, `a/${hostile}`] },
      { ...query, text: hostile },
    );
    const end = list.indexOf('--');
    assert.deepEqual(list.slice(end + 1), [`./${hostile}`]);
    assert.ok(list.includes(`--regexp=${hostile}`));
    assert.ok(list.slice(0, end).every((parameter) => !parameter.startsWith('--pre')));
  });

  function kinds(...include: readonly string[]): readonly string[] {
    return listArguments({ ...scope, include }).filter((parameter) =>
      parameter.startsWith('--type'),
    );
  }

  it('list names without ignored files', () => {
    assert.deepEqual(kinds('*.{ts,js}'), ['--type-add=aside:*.{ts,js}', '--type=aside']);
    assert.deepEqual(kinds('src/**/*.ts', '*.css'), [
      ...['--type-add=aside:*.ts', '--type-add=aside:*.css', '--type=aside'],
    ]);
    const list = listArguments({ ...scope, include: ['.git/config'] });
    assert.deepEqual(
      list.filter((parameter) => parameter.startsWith('--glob')),
      ['--glob=!**/.git', '--glob=!/build'],
    );
  });

  it("list all names if a glob doesn't end with one", () => {
    for (const glob of ['src/**', 'src/', '{src/*.ts,test/*.js}', 'a/include:rust']) {
      assert.deepEqual(kinds(glob, '*.ts'), [], glob);
    }
  });

  it('search for literal text, or for an expression', () => {
    assert.ok(searchArguments(scope, query).includes('--fixed-strings'));
    assert.ok(!searchArguments(scope, { ...query, isRegex: true }).includes('--fixed-strings'));
  });
});
