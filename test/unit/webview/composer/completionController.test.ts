import assert from 'node:assert/strict';
import fc from 'fast-check';
import { triggerWordAt } from '../../../../src/webview/composer/completionList.tsx';

/** Finds the word at the cursor, whose position is marked by a bar. */
function find(marked: string): string | undefined {
  const cursor = marked.indexOf('|');
  const word = triggerWordAt(marked.replace('|', ''), cursor);
  return word && `${word.trigger} ${word.query} ${word.start}`;
}

describe('triggerWordAt', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['@|', '@  0'],
    ['see @te|', '@ te 4'],
    ['see @src/te|mp.ts', '@ src/te 4'],
    ['line\n@a|', '@ a 5'],
    ['(@a|', '@ a 1'],
    ['me@example.com|', undefined],
    ['@a b|', undefined],
    ['@@|', undefined],
    ['|@a', undefined],
    ['/|', '/  0'],
    ['/exp|', '/ exp 0'],
    ['/explain |', undefined],
    ['/explain @a|', '@ a 9'],
    ['/etc/ho|', undefined],
    [' /exp|', undefined],
    ['see /exp|', undefined],
  ];
  for (const [marked, expected] of cases) {
    it(`finds ${expected ?? 'nothing'} in ${JSON.stringify(marked)}`, () =>
      assert.equal(find(marked), expected));
  }

  it('returns the text between the trigger and the cursor', () => {
    const piece = fc.constantFrom('@', '/', 'a', ' ', '\n', '(', 'ä', '😀');
    fc.assert(
      fc.property(fc.array(piece), fc.nat(), (pieces, number) => {
        const text = pieces.join('');
        const cursor = number % (text.length + 1);
        const word = triggerWordAt(text, cursor);
        if (word === undefined) return;
        assert.equal(text.slice(word.start, word.end), word.trigger + word.query);
        assert.equal(word.end, cursor);
        assert.doesNotMatch(word.query, /\s/);
      }),
    );
  });

  it('ignores a word that is too long to be a name', () => {
    assert.equal(triggerWordAt(`@${'a'.repeat(600)}`, 601), undefined);
    assert.equal(triggerWordAt(`/${'a'.repeat(600)}`, 601), undefined);
  });
});
