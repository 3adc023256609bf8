import assert from 'node:assert/strict';
import { FencedLines, parseFence } from '../../../../src/core/support/fences.ts';

/** The lines of a block's code, and those behind its end. */
function split(text: string): readonly [string, string] {
  const [opening = '', ...lines] = text.split('\n');
  const outer = parseFence(opening);
  assert.ok(outer);
  const block = new FencedLines(outer, outer.info === 'md');
  let end = 0;
  for (const [index, line] of lines.entries()) {
    block.push(line);
    if (block.state === 'open') end = index + 1;
  }
  return [lines.slice(0, end).join('\n'), lines.slice(end + 1).join('\n')];
}

describe('FencedLines', () => {
  for (const [what, text, code, behind] of [
    ['a tagged pair inside', '```md\na\n```sh\nb\n```\nc\n```\n\nd', 'a\n```sh\nb\n```\nc', '\nd'],
    ['a bare pair inside', '```md\na:\n```\nb\n```\nc\n```\n\nd', 'a:\n```\nb\n```\nc', '\nd'],
    ['two bare pairs', '```md\n```\na\n```\n\n```\nb\n```\n```', '```\na\n```\n\n```\nb\n```', ''],
    [
      'a pair at its end',
      '```md\n## Run\n\n```sh\nnpm i\n```\n```\nd',
      '## Run\n\n```sh\nnpm i\n```',
      'd',
    ],
    [
      'a bare pair at its end',
      '```md\n## Run\n\n```\nnpm i\n```\n```',
      '## Run\n\n```\nnpm i\n```',
      '',
    ],
    [
      'Markdown in Markdown',
      '```md\na\n```md\n```sh\nb\n```\n```\nc\n```',
      'a\n```md\n```sh\nb\n```\n```\nc',
      '',
    ],
    ['another block below', '```md\na\n```\n\nThen:\n\n```\nb\n```', 'a', '\nThen:\n\n```\nb\n```'],
    ['a tagged block below', '```md\na\n```\nThen:\n```sh\nb\n```', 'a', 'Then:\n```sh\nb\n```'],
    ['words directly below', '```md\na\n```\nThat is it.\nBye.', 'a', 'That is it.\nBye.'],
    ['longer fences', '````md\na\n```sh\nb\n```\nc\n````\nd', 'a\n```sh\nb\n```\nc', 'd'],
    ['a longer pair inside', '```md\n````sh\n```\n````\nc\n```\n', '````sh\n```\n````\nc', ''],
    [
      'a pair in a list',
      '```md\n1. a\n   ```sh\n   b\n   ```\n2. c\n```',
      '1. a\n   ```sh\n   b\n   ```\n2. c',
      '',
    ],
    ['tildes', '~~~md\n```\na\n~~~sh\nb\n~~~\n~~~\nc', '```\na\n~~~sh\nb\n~~~', 'c'],
    ['another language', '```js\na\n```\nb\n```\nc\n```', 'a', 'b\n```\nc\n```'],
  ] as const)
    it(`find the end of a block with ${what}`, () => assert.deepEqual(split(text), [code, behind]));
});
