import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { openFrames } from '../frames.ts';
import { runs } from '../../../support/sample.ts';
import { document, each, renderStreamed } from './rendering.ts';
import { assertFramesMatchPrefixes } from './framesMatchPrefixes.ts';

const inline = fc.constantFrom(
  'word',
  'some more words, and a number: 12',
  '**bold words**',
  '*leaning*',
  '`code`',
  '[a link](https://example.com/p)',
  'snake_case',
  'see https://example.com/x',
  '3 * 4',
  '1.',
  '-',
  'x | y',
  '&amp;',
  'two  spaces',
  '![picture](x)',
  '[foo]',
  '[foo] (bar)',
  'a. b',
  String.raw`\* c`,
  '~~struck~~',
  '**bold, *both***',
  '***a* b** c',
  '**bold `code` on**',
  'a*b',
  '"quoted" (aside)',
  'größer',
  'שלום',
  'long words '.repeat(60),
);
const words = fc.array(inline, { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));
const block = fc.oneof(
  words,
  words.map((text) => `## ${text}`),
  words.map((text) => `- ${text}\n- ${text}`),
  words.map((text) => `1. ${text}\n   ${text}\n   - ${text}\n2. ${text}`),
  words.map((text) => `- [ ] ${text}\n- [x] ${text}`),
  words.map((text) => `> ${text}\n> ${text}\n${text}`),
  words.map((text) => `| one | ${text} |\n|---|:-:|\n| ${text} | two |`),
  words.map((text) => `${text}\n===`),
  words.map((text) => `${text}\n${text}\n1\n${text}`),
  fc.constantFrom(
    '```ts\nlet code = one;\n if a `` then\n```',
    '1. step\n\n   ```sh\n   run it ~ `x`\n   ```\n\n2. next',
    '    indented code\n    more  \n',
    '[foo]: /address "title"',
    '[foo]: /address\n"title"',
    '[foo]: /address\n"title" and more',
    'one | two\n---|---\nthree | `four`',
    '> ```\n> code > x\n> ```',
  ),
);
const text = fc.array(block, { minLength: 1, maxLength: 3 }).map((all) => all.join('\n\n') + '\n');

/** Counts calls of the parser while `end` arrives character by character. */
function parsesOf(beginning: string, end: string, visibleText: string): number {
  const parser: unknown = Object.getPrototypeOf(new MarkdownIt().block);
  assert.ok(typeof parser === 'object' && parser !== null);
  const parse: unknown = Reflect.get(parser, 'parse');
  assert.ok(typeof parse === 'function');
  let calls = 0;
  const container = document.createElement('div');
  const frames = openFrames();
  const stream = createMarkdownStream(container);
  const push = (piece: string): void => {
    stream.push(piece);
    frames.draw();
  };
  push(beginning);
  Reflect.set(parser, 'parse', function counted(this: unknown, ...parameters: unknown[]): unknown {
    calls += 1;
    const result: unknown = Reflect.apply(parse, this, parameters);
    return result;
  });
  try {
    for (const character of end) push(character);
  } finally {
    Reflect.set(parser, 'parse', parse);
    frames.close();
  }
  assert.ok(container.textContent.endsWith(visibleText.trimEnd()), container.textContent);
  return calls;
}

describe('A text that arrives character by character', () => {
  it('renders each prefix as if it had arrived at once', () => {
    fc.assert(fc.property(text, assertFramesMatchPrefixes), { numRuns: runs(40, 5), seed: 11 });
  }).timeout(120_000);

  const cases: readonly (readonly [
    where: string,
    beginning: string,
    rest: string,
    shown?: string,
  ])[] = [
    ['in a paragraph', 'This is ', 'a sentence (of plain words), and "another".'],
    ['in an item', '- first\n  - se', 'cond and more'],
    ['in a heading', '## A head', 'ing of words '],
    ['in a quote', '> He sa', "id that it's fine"],
    [
      'with marks',
      'This is ',
      '**bold, *both*** and `code`, see [it](https://example.com/a) now',
      'This is bold, both and code, see it now',
    ],
    [
      'with marks in an item',
      '- first\n- se',
      'cond **item** of `both` lists',
      'second item of both lists',
    ],
    ['in code', '```ts\nlet a = 1;\nc', 'onst b = `${a}` + [1, 2] ** 3; // <b>'],
  ];
  for (const beginning of ['text\n\n', '- a\n\n', '    a\n\n', '```\na\n```\n\n', '> ```\n> a\n\n'])
    it(`is not parsed again for blank lines after ${JSON.stringify(beginning)}`, () => {
      assert.equal(parsesOf(beginning, '\n\n\n', ''), 0);
    });

  it('keeps blank lines in open code', () => {
    for (const beginning of ['```\na\n\n', '- ```\n  a\n\n', '1. b\n\n   ```\n\n']) {
      const page = renderStreamed(`${beginning}\n\n`, each(1));
      assert.match(page.querySelector('code')?.textContent ?? '', /\n\n\n$/);
    }
  });

  for (const [where, beginning, end, visibleText = end] of cases) {
    it(`is not parsed again for words ${where}`, () => {
      assert.equal(parsesOf(beginning, end, visibleText), 0);
    });
  }
});
