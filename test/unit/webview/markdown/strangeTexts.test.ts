import assert from 'node:assert/strict';
import { runs } from '../../../support/sample.ts';
import { each, render, renderStreamed } from './rendering.ts';

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
