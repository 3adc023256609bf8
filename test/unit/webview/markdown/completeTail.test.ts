import assert from 'node:assert/strict';
import { closeInline } from '../../../../src/webview/markdown/closeInline.ts';
import { completeTail } from '../../../../src/webview/markdown/completeTail.ts';
import { parseBlocks } from '../../../../src/webview/markdown/parser.ts';

describe('completeTail', () => {
  for (const [open, completed] of [
    ['plain text', 'plain text'],
    ['some **bold', 'some **bold**'],
    ['some **bold *both', 'some **bold *both***'],
    ['some **bold*', 'some **bold**'],
    ['a `code', 'a `code`'],
    ['a ``co`de', 'a ``co`de``'],
    ['a `', 'a'],
    ['`` `', ''],
    ['a ``b `', 'a ``b``'],
    ['a ``b ` ', 'a ``b``'],
    ['2 * 3 and snake_case', '2 * 3 and snake_case'],
    ['see [the label](https://exam', 'see the label'],
    ['see [the lab', 'see the lab'],
    ['![alt](https://exam', ''],
    ['array[0', 'array[0'],
    ['array[0][1', 'array[0][1'],
    ['an [open', 'an open'],
    ['an [open]', 'an open'],
    ['an [open] ', 'an [open] '],
    ['see [`a[0]`](https', 'see `a[0]`'],
    ['see [a [b] c](https', 'see a [b] c'],
    ['see [two\nlines](https', 'see two\nlines'],
    ['see [l](<https://e.org/a b', 'see l'],
    ['see [l](https://e.org/a(b', 'see l'],
    ['see [l](https://e.org/a(b)', 'see l'],
    ['see [l](https://e.org "a ti', 'see l'],
    ['see [l](no link', 'see [l](no link'],
    ['see ![a [b]](https', 'see'],
    ['see [![alt](https://e.org/i.png)](https', 'see ![alt](https://e.org/i.png)'],
    ['see [l](https://e.org/a*b) e', 'see [l](https://e.org/a*b) e'],
    ['see https://e.org/_a*b e', 'see https://e.org/_a*b e'],
    ['some **[', 'some'],
    ['see <', 'see'],
    ['see <https', 'see'],
    ['see <https://e.or', 'see <https://e.or>'],
    ['see <div', 'see <div'],
    ['1 < 2', '1 < 2'],
    ['a &am', 'a'],
    ['a & b', 'a & b'],
    ['a &#3', 'a'],
    ['a `&am', 'a `&am`'],
    ['a \\', 'a'],
    ['a \\*', 'a \\*'],
    ['a \\\\', 'a \\\\'],
    ['*a _b* c', '*a _b* c'],
    ['a*"b" c', 'a*"b" c'],
    ['[a]:', ''],
    ['text\n\n[a]: /b\n"ti', 'text\n\n[a]: /b\n'],
    ['[a]: /b\n(title) x', '[a]: /b\n(title) x'],
    ['a\u00a0', 'a\u00a0'],
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
    ['h |', 'h'],
    ['h | i', 'h'],
    ['h | i\n--', 'h'],
    ['h | i\n---|', 'h'],
    ['# h | i', '# h | i'],
    ['- h | i\n  -', '- h'],
    ['h | i\nj', 'h | i\nj'],
    ['a || b', 'a || b'],
    ['`a | b`', '`a | b`'],
    ['a \\| b', 'a \\| b'],
    [`h | ${'i'.repeat(80)}`, `h | ${'i'.repeat(80)}`],
    ['| a |\n|---|\n| **1 \\| 2', '| a |\n|---|\n| **1 \\| 2**'],
    ['| a | b |\n|---|---|\n| 1 | **2', '| a | b |\n|---|---|\n| 1 | **2**'],
    ['```js\nlet a = "**";\n``', '```js\nlet a = "**";\n'],
    ['```js\nlet a = `', '```js\nlet a = `'],
    ['escaped \\*star', 'escaped \\*star'],
  ] as const)
    it(`shows ${JSON.stringify(open)} as ${JSON.stringify(completed)}`, () =>
      assert.equal(completeTail(parseBlocks(open)), completed));

  it('takes linear time, whatever is open in the text', () => {
    const shapes = ['![', '*_`[~ ', '[a](', '[a][', '<a:', '&a', '**a _b x*d ', '\\'];
    const texts = shapes.map((shape) => shape.repeat(200_000 / shape.length));
    const stars = '*'.repeat(100_000);
    for (const text of [...texts, `${stars}a${stars}`])
      assert.ok(closeInline(text).length <= 2 * text.length);
  }).timeout(10_000);
});
