import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { inertMarkdown } from '../../../../src/core/history/inertMarkdown.ts';
import { runs } from '../../../support/sample.ts';

const readers = [
  new MarkdownIt({ html: true, linkify: true }),
  new MarkdownIt('commonmark', { html: true }),
];
// Other readers may not validate links.
for (const reader of readers) reader.validateLink = () => true;

const fragments = [
  ...['`', '``', '```', '````', '~~~', '\n', '\n\n', '\n  ', '\n    ', ' ', '  ', '\t', '\r', '\\'],
  ...['- ', '1. ', '2) ', '> ', '# ', '| ', '|-|-|\n', '---', '===', '*', '_', '[', ']', '(', ')'],
  ...['<img src=x onerror=f()>', '<b', '</b>', '<!--', '-->', '<?x ?>', '<![CDATA[', '<a:b>', '<'],
  ...['![x](http://y/z)', '![a][b]', '[b]: http://c', '[a](javascript:b)', '[b]: javascript:c'],
  ...['[a](java&#115;cript:b)', '[a](data\\:text/html,b)', '&lt;', '&colon;'],
  ...['www.a', 'https://b', 'x@y.z'],
  ...['code', 'x', '<details>', '</details>', 'js'],
];
const anyText = fc
  .array(fc.constantFrom(...fragments), { maxLength: 24 })
  .map((all) => all.join(''));

function activeIn(markdown: string): readonly string[] {
  return readers.flatMap((reader) =>
    reader
      .parse(markdown, {})
      .flatMap((token) => [token, ...(token.children ?? [])])
      .filter((token) => isActive(token.type, String(token.attrGet('href'))))
      .map(({ type, content }) => `${type} ${content}`),
  );
}

function isActive(type: string, link: string): boolean {
  const runs = /^\W*(?:javascript|vbscript|data|command):./i.test(link);
  return type.startsWith('html') || type === 'image' || runs;
}

describe('inert Markdown', () => {
  it('shows the address of each link if links are written out', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const inert = inertMarkdown(text, 'written');
        assert.deepEqual(activeIn(inert), []);
        const links = readers.flatMap((reader) =>
          reader
            .parse(inert, {})
            .flatMap(({ children }) => children ?? [])
            .filter(({ type, markup }) => type === 'link_open' && markup !== 'linkify'),
        );
        assert.deepEqual(links, []);
      }),
      { numRuns: runs(20_000) },
    );
    for (const text of ['<`x@y.z> ', '<`x@y.z>`', '<!x@y.z>', '<x@y.z>']) {
      const inert = inertMarkdown(text, 'written');
      assert.match(inert, /^&lt;/, text);
    }
    assert.equal(inertMarkdown('a `b[0](c)` [d](e)', 'written'), 'a `b[0](c)` &#91;d](e)');
  });

  it('contains no HTML, images or executable links for any reader', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.deepEqual(activeIn(inertMarkdown(text)), []);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it('closes all blocks, so that the text after it is read separately', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const reader of readers) {
          const tokens = reader.parse(`${inertMarkdown(text)}\n\n## The end`, {});
          const end = tokens.slice(-3).map(({ type, level }) => `${type} ${level}`);
          assert.deepEqual(end, ['heading_open 0', 'inline 1', 'heading_close 0']);
        }
      }),
      { numRuns: runs(5000) },
    );
  });

  const ambiguous = {
    'a table whose cells end inside the code': '| a | b |\n|-|-|\n| ` | <img src=x> ` |',
    'the line before, in which the code may begin': 'a ` b\nc ` <img src=x> ` d',
    'an address, which some readers recognize first': 'https://x`y <img src=x> `',
    'an address in angle brackets, which may contain a backtick': '<`x@y.z> <img src=x> `',
    'the end of its list': '- ```\n  a\n<img src=x>\n  ```\n',
  };
  for (const [reason, text] of Object.entries(ambiguous)) {
    it(`escapes text that would be code except for ${reason}`, () => {
      const inert = inertMarkdown(text);
      assert.deepEqual(activeIn(inert), []);
      assert.match(inert, /&lt;img|^```+markdown\n/);
    });
  }

  const unchanged = [
    'Plain text with *emphasis*, a < b && c > d, and 1 <= 2.',
    '```html\n<p class="x">![i](j)</p>\n```\nand `Array<string>` or ``a ` <b>``',
    'Steps:\n\n1. First:\n\n   ```ts\n   const a: Array<string> = [];\n   ```\n\n2. `Map<K, V>`\n\nEnd `<b>`',
    '- ```html\n  <p>\n  ```\n- `x`\n\n~~~\n<b>\n~~~\n',
    '[a link](https://example.com/?a=1&b=2), https://example.com',
  ];
  for (const text of unchanged) {
    it(`keeps ${JSON.stringify(text.slice(0, 40))} unchanged`, () =>
      assert.equal(inertMarkdown(text), text));
  }

  it('closes code that was cut off', () => {
    assert.equal(inertMarkdown('```ts\nlet a'), '```ts\nlet a\n```');
  });

  it('takes linear time for adversarial text', () => {
    for (const piece of ['`', '``x`', '<', '&#', '![', '- ', '```x\n  ```\n', '    ```\n', '\\`']) {
      inertMarkdown(piece.repeat(100_000));
    }
    const all = Array.from({ length: 2000 }, (_, index) => `- ${'`'.repeat(3 + index)}`);
    inertMarkdown(all.join('\n'));
  });
});
