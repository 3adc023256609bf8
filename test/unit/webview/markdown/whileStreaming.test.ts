import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { runs } from '../../../support/sample.ts';
import { openFrames } from '../frames.ts';
import { document, each, render, renderStreamed } from './rendering.ts';

/** Fixed, so that each run tries the same texts; `SEED=n` chooses others. */
const seed = Number(process.env['SEED'] ?? 7);

/** Text in which each delimiter has a meaning: one that is visible was rendered too early. */
const meaningful = [
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
];
/** Text with marks that may or may not be delimiters. */
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

const joined = (words: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength }).map((all) => all.join(' '));

const blocksOf = (words: fc.Arbitrary<string>, ...more: readonly string[]) =>
  fc
    .array(
      fc.oneof(
        words,
        words.map((text) => `## ${text}`),
        words.map((text) => `- ${text}\n- ${text}`),
        words.map((text) => `1. ${text}\n   - ${text}\n2. ${text}`),
        words.map((text) => `- [ ] ${text}\n- [x] ${text}`),
        words.map((text) => `> ${text}\n> ${text}`),
        words.map((text) => `| one | ${text} |\n|---|:-:|\n| ${text} | two |\n| three | ${text} |`),
        words.map((text) => `${text}\n\n---\n\n${text}`),
        words.map((text) => `${text}\n===`),
        fc.constantFrom(
          '```ts\nlet code = one;\n```',
          '1. step\n\n   ```sh\n   run it\n   ```\n\n2. next',
          ...more,
        ),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((all) => `${all.join('\n\n')}\n`);

const readable = blocksOf(joined(meaningful, 4));
const anything = blocksOf(
  joined([...pieces, '1.', '-', 'x | y', '[foo] (bar)', 'long words '.repeat(60)], 4),
  '```ts\nlet code = one;\n if a `` then\n```',
  '    indented code\n    more  \n',
  '[foo]: /address "title"',
  '[foo]: /address\n"title" and more',
  'one | two\n---|---\nthree | `four`',
  '> ```\n> code > x\n> ```',
);

/** Removes paragraphs and direction of list items, which depend on text that may still change. */
function withoutParagraphs({ innerHTML }: HTMLElement): string {
  return innerHTML
    .replaceAll(/<\/?p(?: dir="rtl")?>/g, '')
    .replaceAll('<li dir="rtl">', '<li>')
    .replaceAll(/( dir="rtl")( class="[^"]*")/g, '$2$1');
}

function renderPrefix(part: string): HTMLElement {
  const container = document.createElement('div');
  const frames = openFrames();
  const stream = createMarkdownStream(container);
  stream.push(part);
  stream.flush();
  frames.close();
  return container;
}

/** Asserts that each frame of a text equals rendering at once what has arrived so far. */
function assertFramesMatchPrefixes(markdown: string): void {
  let length = 0;
  renderStreamed(markdown, each(1), (container) => {
    length += 1;
    const part = markdown.slice(0, length);
    const atOnce = withoutParagraphs(renderPrefix(part));
    assert.equal(withoutParagraphs(container), atOnce, JSON.stringify(part));
  });
}

/** The visible text without brackets, which can appear later than the text after them. */
function wordsOf({ textContent }: Element): string {
  return textContent.replaceAll(/[[\]]/g, '').trimEnd();
}

describe('While a text arrives character by character', () => {
  it('the visible text is a prefix of the final text', () => {
    const isBeginning = (before: string, text: string): void => {
      const markdown = `${before}${text.replaceAll('\n', before === '' ? '\n' : ' ')} end`;
      const final = wordsOf(render(markdown));
      renderStreamed(markdown, each(1), (container) => {
        const visibleWords = wordsOf(container);
        assert.ok(final.startsWith(visibleWords), `${JSON.stringify(markdown)}: ${visibleWords}`);
      });
    };
    const table = '| a | b |\n|---|---|\n| ';
    const block = fc.constantFrom('', '', '## ', '- ', '1. ', '> ', '- [ ] ', table);
    fc.assert(fc.property(block, joined(pieces, 5), isBeginning), { numRuns: runs(400), seed });
  }).timeout(120_000);

  it('each frame looks the same as the text so far, rendered at once', () => {
    const marks = '* _ ` [ ] ( ) ! < > & \\ ~ : " ]( ![ ** a &lt http:// | ]:'.split(' ');
    const raw = fc
      .array(fc.constantFrom(' ', '\n', 'b c', '\u2028', ...marks, ...pieces), {
        minLength: 1,
        maxLength: 12,
      })
      .map((all) => all.join(''));
    fc.assert(fc.property(fc.oneof(joined(pieces, 5), raw), assertFramesMatchPrefixes), {
      numRuns: runs(150),
      seed,
    });
  }).timeout(120_000);

  it('each frame of several blocks looks the same as the text so far, rendered at once', () => {
    fc.assert(fc.property(anything, assertFramesMatchPrefixes), { numRuns: runs(40, 5), seed });
  }).timeout(120_000);

  it('no delimiter of an open construct is visible', () => {
    fc.assert(
      fc.property(readable, (markdown) => {
        renderStreamed(markdown, each(1), (container) => {
          const visibleText = container.textContent.replaceAll(
            / ?\(https:\/\/example\.com\/p\.png\)/g,
            '',
          );
          assert.doesNotMatch(visibleText, /[*_~`#|[\]<>]|--|==|https/, visibleText);
        });
      }),
      { numRuns: runs(150), seed },
    );
  }).timeout(120_000);

  it('it never shrinks by more than a word', () => {
    fc.assert(
      fc.property(readable, (markdown) => {
        let longest = 0;
        renderStreamed(markdown, each(1), ({ textContent }) => {
          assert.ok(textContent.length >= longest - 12, `${textContent.length} after ${longest}`);
          longest = Math.max(longest, textContent.length);
        });
      }),
      { numRuns: runs(100), seed },
    );
  }).timeout(120_000);

  it('blank lines in open code are kept', () => {
    for (const beginning of ['```\na\n\n', '- ```\n  a\n\n', '1. b\n\n   ```\n\n']) {
      const page = renderStreamed(`${beginning}\n\n`, each(1));
      assert.match(page.querySelector('code')?.textContent ?? '', /\n\n\n$/);
    }
  });
});
