import assert from 'node:assert/strict';
import type { TextQuery } from '../../../../src/core/search/fileSearch.ts';
import { findLines } from '../../../../src/core/search/walkSearch.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';

const text = 'Alpha\r\nbeta alpha\r\n\r\ngamma (x)\r\n';

async function found(query: Partial<TextQuery>, of = text): Promise<string[]> {
  const lines = await findLines('a', of, { text: '', isRegex: false, context: 0, ...query });
  return lines.map((line) => `${line.line}${line.fits ? ':' : '-'}${line.text}`);
}

describe('findLines', () => {
  it('finds any case for a query in lower case, else the exact one', async () => {
    assert.deepEqual(await found({ text: 'alpha' }), ['1:Alpha', '2:beta alpha']);
    assert.deepEqual(await found({ text: 'Alpha' }), ['1:Alpha']);
    assert.deepEqual(await found({ text: 'alpha$', isRegex: true }), ['1:Alpha', '2:beta alpha']);
    assert.deepEqual(await found({ text: 'A\\w+a$', isRegex: true }), ['1:Alpha']);
  });

  it('takes a text for what it is', async () => {
    assert.deepEqual(await found({ text: '(x)' }), ['4:gamma (x)']);
    assert.deepEqual(await found({ text: '.' }), []);
  });

  it('tells the lines around, each once and in order', async () => {
    assert.deepEqual(await found({ text: 'beta', context: 1 }), ['1-Alpha', '2:beta alpha', '3-']);
    assert.deepEqual(await found({ text: 'alpha', context: 5 }), [
      ...['1:Alpha', '2:beta alpha', '3-', '4-gamma (x)'],
    ]);
  });

  it('cuts long lines', async () => {
    const [line = ''] = await found({ text: 'needle' }, `needle${'x'.repeat(100_000)}`);
    assert.ok(line.length < 500);
    const [emoji = ''] = await found({ text: 'needle' }, `needle${'😀'.repeat(1000)}`);
    const [odd = ''] = await found({ text: 'needle' }, `needle ${'😀'.repeat(1000)}`);
    for (const one of [emoji, odd]) assert.doesNotMatch(one, /\p{Surrogate}/u);
  });

  it('refuses expressions that are none', async () => {
    await assert.rejects(found({ text: '(', isRegex: true }), ToolError);
    await assert.rejects(found({ text: '\\p{Nothing}', isRegex: true }), ToolError);
  });

  for (const bad of ['(a)\\1', '(?<n>a)\\k<n>', '(?=a)a', 'a(?!b)', '(?<=a)b', '(?<!a)b']) {
    it(`refuses ${bad}, for which there is no fast way`, async () => {
      await assert.rejects(found({ text: bad, isRegex: true }), /could take too long/);
    });
  }

  it('refuses what would be too large', async () => {
    for (const bad of ['a{1000}', '(a{50}){50}', 'a{1,9999999999}', '((a{9}){9}){9}', 'a{501,}']) {
      await assert.rejects(found({ text: bad, isRegex: true }), /too large/);
    }
  });

  const hostile = [
    ...['x*x*x*x*y', '(a+)+$', '(a*)*b', '((a+)b?)+$', '(a|a)*$', '(?:a{1,}){2,}b', '([a-z]+)*$'],
    ...[
      '.*.*.*.*=',
      '(x?){40}x{40}y',
      '(.*a){12}b',
      '(a|ab|b)*c',
      '\\w*\\d*\\w*\\d*-',
      '(((x*)*)*)*y',
    ],
    ...['(|x)*y', '(x+x+)+y', '^(.+)+=$', '(.|\\s)*?;'],
  ];
  const lines = ['x', 'a', 'ab', 'foo', 'a-b=c '].map((part) => part.repeat(400)).join('\n');
  for (const expression of hostile) {
    it(`takes ${expression}`, async () => {
      await found({ text: expression, isRegex: true }, `${lines}\n${lines}`);
    });
  }

  it('lets others have their turn', async () => {
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    try {
      await found({ text: '(x?){40}x{40}y', isRegex: true }, `${lines}\n${lines}\n${lines}`);
    } finally {
      clearInterval(count);
    }
    assert.ok(turns > 1);
  });

  it('ends at the signal', async () => {
    const stop = new AbortController();
    const query = { text: 'x*y', isRegex: true, context: 0 };
    const search = findLines('a', `${'x'.repeat(1000)}\n`.repeat(1000), query, stop.signal);
    stop.abort();
    await assert.rejects(search, { name: 'AbortError' });
  });
});
