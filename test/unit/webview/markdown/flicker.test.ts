import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../../support/sample.ts';
import { each, renderStreamed } from './rendering.ts';

/** Text in which each delimiter has a meaning: one that is visible was rendered too early. */
const inline = fc.constantFrom(
  'word',
  '**bold words**',
  '*leaning words*',
  '_leaning_',
  '***both of them***',
  '**bold and *leaning* words**',
  '`code`',
  '``two words``',
  '~~struck~~',
  '[a link](https://example.com/path_to/it)',
  '[**bold** link](https://example.com "with a title")',
  '**[link](https://example.com)**',
  '![picture](https://example.com/p.png)',
);
const words = fc.array(inline, { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));
const block = fc.oneof(
  words,
  words.map((text) => `## ${text}`),
  words.map((text) => `- ${text}\n- ${text}`),
  words.map((text) => `1. ${text}\n   - ${text}\n2. ${text}`),
  words.map((text) => `- [ ] ${text}\n- [x] ${text}`),
  words.map((text) => `> ${text}\n> ${text}`),
  words.map((text) => `| one | ${text} |\n|---|:-:|\n| ${text} | two |\n| three | ${text} |`),
  words.map((text) => `${text}\n\n---\n\n${text}`),
  words.map((text) => `${text}\n===`),
  fc.constant('```ts\nlet code = one;\n```'),
  fc.constant('1. step\n\n   ```sh\n   run it\n   ```\n\n2. next'),
);
const text = fc.array(block, { minLength: 1, maxLength: 4 }).map((all) => all.join('\n\n') + '\n');

describe('While a text streams', () => {
  it('no delimiter of an open construct is visible', () => {
    fc.assert(
      fc.property(text, (markdown) => {
        renderStreamed(markdown, each(1), (container) => {
          const visibleText = container.textContent.replaceAll(
            / ?\(https:\/\/example\.com\/p\.png\)/g,
            '',
          );
          assert.doesNotMatch(visibleText, /[*_~`#|[\]<>]|--|==|https/, visibleText);
        });
      }),
      { numRuns: runs(150), seed: 7 },
    );
  }).timeout(120_000);

  it('it never shrinks by more than a word', () => {
    fc.assert(
      fc.property(text, (markdown) => {
        let longest = 0;
        renderStreamed(markdown, each(1), ({ textContent }) => {
          assert.ok(textContent.length >= longest - 12, `${textContent.length} after ${longest}`);
          longest = Math.max(longest, textContent.length);
        });
      }),
      { numRuns: runs(100), seed: 7 },
    );
  }).timeout(120_000);
});
