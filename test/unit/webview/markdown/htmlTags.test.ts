import assert from 'node:assert/strict';
import { render } from './rendering.ts';

/** The HTML of the rendered text, without its outer element and line breaks. */
function drawn(text: string): string {
  const { innerHTML } = render(text);
  return innerHTML.replace(/^<div class="page">|<\/div>$/g, '').replaceAll(/\s*\n\s*/g, ' ');
}

describe('Tags of HTML in a reply', () => {
  const elements: readonly (readonly [text: string, html: string])[] = [
    ['H<sub>2</sub>O', '<p>H<sub>2</sub>O</p>'],
    ['# m<SUP>2</SUP>', '<h1>m<sup>2</sup></h1>'],
    ['<kbd>Ctrl</kbd>+<kbd>C</kbd>', '<p><kbd>Ctrl</kbd>+<kbd>C</kbd></p>'],
    ['- <kbd>a</kbd> <sup>b</sup>', '<ul><li><kbd>a</kbd> <sup>b</sup></li></ul>'],
    ['x<sup>**2**</sup>', '<p>x<sup><strong>2</strong></sup></p>'],
    ['**x<sup>2</sup>**', '<p><strong>x<sup>2</sup></strong></p>'],
    ['a<br>b<br/>c<BR />d', '<p>a<br> b<br> c<br> d</p>'],
    ['> a<br>b', '<blockquote><p>a<br> b</p></blockquote>'],
    [
      '<details>\n<summary>S</summary>\n\na\n\n</details>',
      '<p><strong>S</strong></p><p>a</p><p></p>',
    ],
    ['<details open><summary><kbd>S</kbd></summary>\na', '<p><strong><kbd>S</kbd></strong> a</p>'],
    ['<summary>\nS\n</summary>', '<p>S </p>'],
    [
      '<details>\n<summary>S</summary>\n\n<details>\n<summary>T</summary>\n\nb\n\n</details>\n</details>\n\nc',
      '<p><strong>S</strong></p><p><strong>T</strong></p><p>b</p><p></p><p>c</p>',
    ],
  ];
  for (const [text, html] of elements)
    it(`are rendered: ${JSON.stringify(text)}`, () => assert.equal(drawn(text), html));

  it('are rendered in the cells of a table', () => {
    const cells = render('| a<br/>b |\n|---|\n| <sub>1</sub><br>2 |').querySelectorAll('th, td');
    assert.deepEqual(
      Array.from(cells, ({ innerHTML }) => innerHTML.replaceAll('\n', '')),
      ['a<br>b', '<sub>1</sub><br>2'],
    );
  });

  const texts = [
    'Map<i> and List<b>',
    '<b>a</b> <strong>b</strong> <i>c</i> <em>d</em>',
    'Put it into <details> here',
    '<sub>open',
    '</sub>',
    '<sub class="x">a</sub>',
    '<br onclick="x">',
    '<br x>',
    '<script>a</script>',
    '<subs>a</subs>',
    '<a href="https-x">a</a>',
    `<sub>${'x'.repeat(300)}</sub>`,
  ];
  for (const text of texts)
    it(`are shown as text: ${text.slice(0, 40)}`, () => {
      const container = render(text);
      assert.equal(container.textContent, text);
      assert.equal(container.querySelectorAll('.page > p > *').length, 0);
    });

  it('are shown as text in code and after a backslash', () => {
    assert.equal(
      drawn('`<br>` \\<br> \\<sub>a\\</sub>'),
      '<p><code>&lt;br&gt;</code> &lt;br&gt; &lt;sub&gt;a&lt;/sub&gt;</p>',
    );
  });
});
