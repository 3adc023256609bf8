import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { openPage } from '../page.ts';
import { each, render, renderStreamed } from './rendering.ts';
import { runs } from '../../../support/sample.ts';

/** Texts that are repeated to make a long reply. */
const shapes: Readonly<Record<string, string>> = {
  'paragraphs and headings': '## Heading\n\nSome **bold** words and `code`.\n\n',
  'one paragraph': 'a line of text with *emphasis* in it\n',
  'one line': 'words without an end and *some* of them lean, ',
  'one word': 'Donaudampfschifffahrtsgesellschaft',
  'one list': '- an item with **bold** words\n  - and one inside it\n',
  'one loose list': '1. a step\n\n   with a paragraph\n\n',
  'one table': '| one | **two** | `three` |\n',
  'one block of code': 'const value = call("text", 12); // a comment\n',
  'one line of code': 'let a = 1; ',
  'code in a list': '   echo "one line" # of many\n',
  'formulas without an end': 'where \\(a and \\[b are $c\n',
  formulas: 'where $a_1$ and \\(b^2\\) are in\n\n$$\nc\n$$\n\n',
  'one quote': '> quoted words\n>\n> > and more of them\n>\n',
};
const beginnings: Readonly<Record<string, string>> = {
  'one table': '| a | b | c |\n|---|---|---|\n',
  'one block of code': '```ts\n',
  'one line of code': '```js\n',
  'code in a list': '1. step\n\n   ```sh\n',
};

interface Work {
  /** Characters that the parser has read. */
  parsed: number;
  /** DOM nodes that were created. */
  made: number;
}

/** Reports the first argument of each call of a method, until the returned function is called. */
function watch(object: object, name: string, called: (first: unknown) => void): () => void {
  const method: unknown = Reflect.get(object, name);
  assert.ok(typeof method === 'function');
  Reflect.set(object, name, function watched(this: unknown, ...parameters: unknown[]): unknown {
    called(parameters[0]);
    const result: unknown = Reflect.apply(method, this, parameters);
    return result;
  });
  return () => void Reflect.set(object, name, method);
}

/** Measures the work of each frame while 40 KB arrive, 200 characters per frame. */
function workOfFrames(name: string, shape: string): Work[] {
  const { document } = openPage();
  const parsers: unknown = Object.getPrototypeOf(new MarkdownIt().block);
  assert.ok(typeof parsers === 'object' && parsers !== null);
  const work: Work = { parsed: 0, made: 0 };
  const watches = [
    watch(parsers, 'parse', (source) => (work.parsed += String(source).length)),
    watch(document, 'createElement', () => (work.made += 1)),
    watch(document, 'createTextNode', () => (work.made += 1)),
  ];
  const text = (beginnings[name] ?? '') + shape.repeat(Math.ceil(40_000 / shape.length));
  const frames: Work[] = [];
  try {
    renderStreamed(text, each(200), () => {
      frames.push({ ...work });
      Object.assign(work, { parsed: 0, made: 0 });
    });
  } finally {
    for (const stop of watches) stop();
  }
  return frames;
}

/** A mean, since the work of a frame depends on where it cuts the text. */
function mean(frames: readonly Work[], key: keyof Work): number {
  return frames.reduce((sum, frame) => sum + frame[key], 0) / frames.length;
}

describe('A frame costs as much at the end of a long text as at its beginning', () => {
  for (const [name, shape] of Object.entries(shapes)) {
    it(name, () => {
      const frames = workOfFrames(name, shape);
      const [early, late] = [frames.slice(30, 80), frames.slice(-50)];
      for (const key of ['parsed', 'made'] as const) {
        const [before, after] = [mean(early, key), mean(late, key)];
        assert.ok(after <= before * 1.3 + 10, `${key}: ${before} grew to ${after}`);
      }
      assert.ok(
        mean(late, 'parsed') < 20_000,
        `${mean(late, 'parsed')} characters for 200 new ones`,
      );
    });
  }
});

describe('A text of a strange shape', () => {
  const strange: Readonly<Record<string, string>> = {
    'a line of 5 MB': 'some words and more of them, '.repeat(180_000),
    '10,000 nested quotes': `${'>'.repeat(10_000)} deep\n`,
    '10,000 nested lists': `${'- '.repeat(10_000)} deep\n`,
    '20,000 open marks': '*a **b '.repeat(10_000),
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
  const notes = many.map((index) => `text[^${index}]\n\n[^${index}]: https://e.org/\n\n`).join('');

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
