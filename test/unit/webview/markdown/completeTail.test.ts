import assert from 'node:assert/strict';
import { completeTail } from '../../../../src/webview/markdown/completeTail.ts';
import { parseBlocks } from '../../../../src/webview/markdown/parser.ts';

describe('completeTail', () => {
  for (const [open, shown] of [
    ['plain text', 'plain text'],
    ['some **bold', 'some **bold**'],
    ['some **bold *both', 'some **bold *both***'],
    ['some **bold*', 'some **bold**'],
    ['a `code', 'a `code`'],
    ['a ``co`de', 'a ``co`de``'],
    ['a `', 'a'],
    ['2 * 3 and snake_case', '2 * 3 and snake_case'],
    ['see [the label](https://exam', 'see the label'],
    ['see [the lab', 'see the lab'],
    ['![alt](https://exam', ''],
    ['array[0', 'array[0'],
    ['text\n-', 'text'],
    ['text\n##', 'text\n'],
    ['1. *', ''],
    ['1. **', ''],
    ['1. one\n2. `', '1. one\n'],
    ['> 1. *', ''],
    ['- -', ''],
    ['- 1.', ''],
    ['1. -', ''],
    ['- 12', ''],
    ['- [x', ''],
    ['- 12 apples', '- 12 apples'],
    ['text\n| a | b |', 'text'],
    ['| a | b |\n|--', ''],
    ['| a | b |\n|---|---|\n| 1 | **2', '| a | b |\n|---|---|\n| 1 | **2**'],
    ['```js\nlet a = "**";\n``', '```js\nlet a = "**";\n'],
    ['```js\nlet a = `', '```js\nlet a = `'],
    ['escaped \\*star', 'escaped \\*star'],
  ] as const)
    it(`shows ${JSON.stringify(open)} as ${JSON.stringify(shown)}`, () =>
      assert.equal(completeTail(parseBlocks(open)), shown));
});
