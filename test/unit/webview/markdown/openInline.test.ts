import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../../support/sample.ts';
import { each, render, renderStreamed } from './rendering.ts';
import { assertFramesMatchPrefixes } from './framesMatchPrefixes.ts';

/** Fixed, so that each run tries the same texts; `SEED=n` chooses others. */
const seed = Number(process.env['SEED'] ?? 7);
const pieces = [
  'word',
  'some words, and a number: 12',
  '**bold words**',
  '*leaning*',
  '_leaning a bit_',
  '***both***',
  '**bold *and* `code`**',
  '*a**b**c*',
  '~~struck~~',
  '`code`',
  '`a*b`',
  '``two ` words``',
  '[link](https://e.org/a)',
  '[`a[0]`](https://e.org)',
  '[a [b] c](https://e.org)',
  '[two\nlines](https://e.org)',
  '[l](<https://e.org/a b>)',
  '[l](https://e.org/a(b)c)',
  '[l](https://e.org "a title")',
  "[l](https://e.org 'a title')",
  '[l](https://e.org/a*b)',
  '[**bold** link](https://e.org/_a_)',
  '*[leaning](https://e.org)*',
  '![picture](https://e.org/p.png)',
  '![a [b]](https://e.org/p.png)',
  '[![alt](https://e.org/i.png)](https://e.org/l)',
  '[![a](https://e.org/i.png) words](https://e.org/l)',
  '<https://e.org/x>',
  '<https://e.org/a_b*c>',
  'https://e.org/a_b_c',
  'https://e.org/a*b/_c',
  '**https://e.org/a**',
  '(see https://e.org/a(b).)',
  '&amp;',
  '&#35; &hellip; &lt;',
  'R & D',
  'AT&T',
  'a && b',
  String.raw`\*`,
  String.raw`a\_b\*c`,
  String.raw`\\`,
  '[a]',
  'arr[i][j] = 1',
  'f(x)[0]',
  'a < b',
  '<div>',
  'snake_case_name',
  '2 * 3',
  'wow!',
  'שלום',
  'a * b*',
  'é\u00a0x',
];
const inline = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 })
  .map((all) => all.join(' '));
const block = fc.constantFrom(
  '',
  '',
  '## ',
  '- ',
  '1. ',
  '> ',
  '- [ ] ',
  '| a | b |\n|---|---|\n| ',
);

/** The visible text without brackets, which can appear later than the text after them. */
function wordsOf({ textContent }: Element): string {
  return textContent.replaceAll(/[[\]]/g, '').trimEnd();
}

describe('While inline text arrives character by character', () => {
  it('the visible text is a prefix of the final text', () => {
    const isBeginning = (before: string, text: string): void => {
      const markdown = `${before}${text.replaceAll('\n', before === '' ? '\n' : ' ')} end`;
      const final = wordsOf(render(markdown));
      renderStreamed(markdown, each(1), (container) => {
        const visibleWords = wordsOf(container);
        assert.ok(final.startsWith(visibleWords), `${JSON.stringify(markdown)}: ${visibleWords}`);
      });
    };
    fc.assert(fc.property(block, inline, isBeginning), { numRuns: runs(400), seed });
  }).timeout(120_000);

  it('each frame looks the same as the text so far, rendered at once', () => {
    const marks = '* _ ` [ ] ( ) ! < > & \\ ~ : " ]( ![ ** a &lt http:// | ]:'.split(' ');
    const raw = fc
      .array(fc.constantFrom(' ', '\n', 'b c', '\u2028', ...marks, ...pieces), {
        minLength: 1,
        maxLength: 12,
      })
      .map((all) => all.join(''));
    fc.assert(fc.property(fc.oneof(inline, raw), assertFramesMatchPrefixes), {
      numRuns: runs(150),
      seed,
    });
  }).timeout(120_000);
});
