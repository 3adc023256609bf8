import assert from 'node:assert/strict';
import type { TextQuery } from '../../../../src/core/search/fileSearch.ts';
import { findLines } from '../../../../src/core/search/walkSearch.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';

const text = 'Alpha\r\nbeta alpha\r\n\r\ngamma (x)\r\n';

function found(query: Partial<TextQuery>, of = text): string[] {
  return findLines('a', of, { text: '', isRegex: false, context: 0, ...query }).map(
    (line) => `${line.line}${line.fits ? ':' : '-'}${line.text}`,
  );
}

describe('findLines', () => {
  it('finds any case for a query in lower case, else the exact one', () => {
    assert.deepEqual(found({ text: 'alpha' }), ['1:Alpha', '2:beta alpha']);
    assert.deepEqual(found({ text: 'Alpha' }), ['1:Alpha']);
    assert.deepEqual(found({ text: 'alpha$', isRegex: true }), ['1:Alpha', '2:beta alpha']);
    assert.deepEqual(found({ text: 'A\\w+a$', isRegex: true }), ['1:Alpha']);
  });

  it('takes a text for what it is', () => {
    assert.deepEqual(found({ text: '(x)' }), ['4:gamma (x)']);
    assert.deepEqual(found({ text: '.' }), []);
  });

  it('tells the lines around, each once and in order', () => {
    assert.deepEqual(found({ text: 'beta', context: 1 }), ['1-Alpha', '2:beta alpha', '3-']);
    assert.deepEqual(found({ text: 'alpha', context: 5 }), [
      ...['1:Alpha', '2:beta alpha', '3-', '4-gamma (x)'],
    ]);
  });

  it('cuts long lines', () => {
    const [line = ''] = found({ text: 'needle' }, `needle${'x'.repeat(100_000)}`);
    assert.ok(line.length < 500);
    const [emoji = ''] = found({ text: 'needle' }, `needle${'😀'.repeat(1000)}`);
    const [odd = ''] = found({ text: 'needle' }, `needle ${'😀'.repeat(1000)}`);
    for (const one of [emoji, odd]) assert.doesNotMatch(one, /\p{Surrogate}/u);
  });

  it('refuses expressions that are none', () => {
    assert.throws(() => found({ text: '(', isRegex: true }), ToolError);
    assert.throws(() => found({ text: '\\p{Nothing}', isRegex: true }), ToolError);
  });

  for (const bad of [
    '(a+)+$',
    '(a*)*',
    '((a+)b?)+$',
    '(a|a)*$',
    '(?:a{1,}){2,}',
    '(a)\\1',
    '([a-z]+)*$',
  ]) {
    it(`refuses ${bad}, which could take too long`, () => {
      assert.throws(() => found({ text: bad, isRegex: true }), /could take too long/);
    });
  }

  for (const good of ['(a|b)c', 'a+b*', '(abc)+', '[*+]+', '\\(\\*+', '(foo|bar)?', '(a+)?']) {
    it(`takes ${good}`, () => {
      assert.doesNotThrow(() => found({ text: good, isRegex: true }));
    });
  }
});
