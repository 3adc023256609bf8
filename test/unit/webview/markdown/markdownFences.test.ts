import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CodeExtractor } from '../../../../src/core/code/codeExtractor.ts';
import { runs } from '../../../support/sample.ts';
import { assertSameStreamed, each, render, renderStreamed } from './rendering.ts';

const seed = Number(process.env['SEED'] ?? 7);

/** A whole file, as a model puts it into one block. */
const readme = [
  '# T',
  '',
  '```bash',
  'npm i',
  '```',
  '',
  'Or:',
  '```',
  'yarn',
  '',
  'end',
  '```',
  '1. Then',
  '   ```js',
  '   run();',
  '   ```',
].join('\n');

function codeIn(container: Element): string[] {
  return [...container.querySelectorAll<HTMLElement>('.code-block code')].map(
    ({ textContent }) => textContent,
  );
}

describe('A block of Markdown with fences inside', () => {
  it('is one block, and the text below is none', () => {
    for (const language of ['md', 'markdown', 'Markdown', 'markdown title="README.md"', 'mdx']) {
      const page = render(`Here:\n\n\`\`\`${language}\n${readme}\n\`\`\`\n\nDone *now*.`);
      assert.deepEqual(codeIn(page), [`${readme}\n`]);
      assert.equal(page.querySelector('.page > p:last-child em')?.textContent, 'now');
    }
  });

  it('is one block in a list and in a quote', () => {
    for (const prefix of ['   ', '> ']) {
      const text = `\`\`\`md\n${readme}\n\`\`\``.replaceAll(/^/gm, prefix);
      const page = render(`1. Write\n\n${text}\n\nDone.`);
      assert.deepEqual(codeIn(page), [`${readme}\n`]);
    }
  });

  it('ends with its list item', () => {
    const page = render('- ```md\n  a\n  ```\n  b\n- c\n\n```\nd\n```\n');
    assert.deepEqual(codeIn(page), ['a\n', 'd\n']);
  });

  it('never closes early while it arrives', () => {
    const text = `\`\`\`md\n${readme}\n\`\`\`\n\nDone.`;
    let last = '';
    renderStreamed(text, each(1), (container) => {
      const code = codeIn(container);
      assert.ok(code.length <= 1);
      const [shown = ''] = code;
      assert.ok(`${readme}\n`.startsWith(shown) && shown.startsWith(last), shown);
      last = shown;
    });
    assert.equal(last, `${readme}\n`);
  });

  it('is the same code for an edit of a file as on the page', () => {
    const lines = fc.constantFrom(
      ...['a', '', '', '```', '```', '```', '```sh', '````', '~~~', '  ```', '```md'],
    );
    const replies = fc
      .array(lines, { maxLength: 14 })
      .map((all) => ['```md', 'a', ...all, 'z'].join('\n'));
    fc.assert(
      fc.property(replies, (reply) => {
        const extractor = new CodeExtractor();
        const code = extractor.push(reply) + extractor.end();
        assert.equal(codeIn(render(`${reply}\n`))[0], code.replace(/z$/, 'z\n'));
      }),
      { numRuns: runs(400), seed },
    );
  });

  it('ends up the same in whatever pieces it arrives', () => {
    const lines = [
      ...['a', 'b c', '', '```', '```', '```', '```sh', '````', '~~~', '  ```', '```md', '- ```md'],
      ...['  a', '> ```md', '> ```', '> a', '- b', '    ```'],
    ];
    const textsOf = (all: readonly string[]): fc.Arbitrary<string> =>
      fc
        .array(fc.constantFrom(...all), { maxLength: 25 })
        .map((chosen) => ['```md', ...chosen].join('\n'));
    const sizes = (min: number, max: number): fc.Arbitrary<Iterable<number>> =>
      fc.infiniteStream(fc.integer({ min, max }));
    const options = { numRuns: runs(400), seed };
    fc.assert(fc.property(textsOf(lines), sizes(1, 9), assertSameStreamed), options);
    const long = textsOf([...lines, 'word '.repeat(900)]);
    fc.assert(fc.property(long, sizes(100, 2000), assertSameStreamed), options);
  }).timeout(120_000);

  for (const [name, unit] of Object.entries({
    pairs: '```sh\na\n```\n',
    'bare pairs': '```\na\n```\n',
    'blocks that end in words': '```md\na\n```\nb\n',
    'fences that are never closed': '```sh\n',
    'lines of a block inside': 'a line\n',
  }))
    it(`takes linear time: ${name}`, () => {
      const text = `\`\`\`md\na\n\`\`\`\n${unit.repeat(runs(3000, 4))}`;
      const before = process.cpuUsage();
      assertSameStreamed(text, each(200));
      const { user } = process.cpuUsage(before);
      assert.ok(user < 8_000_000, `${user / 1_000_000} seconds of work`);
    }).timeout(60_000);
});
