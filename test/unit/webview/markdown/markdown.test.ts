import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { openFrames } from '../frames.ts';
import { openPage } from '../page.ts';
import { each, render, renderStreamed } from './rendering.ts';

const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 7 }));

describe('createMarkdownStream', () => {
  const { document, MouseEvent } = openPage();

  it('keeps the nodes of finished blocks while more text arrives', () => {
    const container = document.createElement('div');
    const frames = openFrames();
    const stream = createMarkdownStream(container);
    stream.push('First paragraph.\n\n```js\nlet a;\n```\n\nThird');
    frames.draw();
    const before = [...(container.firstChild?.childNodes ?? [])];
    stream.push(' one, and a list:\n\n- a\n- b\n');
    frames.draw();
    stream.end();
    frames.close();
    const after = [...(container.firstChild?.childNodes ?? [])];
    assert.equal(after.length, 4);
    assert.ok(before.every((node, index) => node === after[index]));
  });

  it('keeps the code of an item whose text becomes a paragraph when a later item comes', () => {
    const step = '1. **Step**: do `x`\n   ```sh\n   run it\n   ```\n';
    let code: Element | null | undefined;
    const page = renderStreamed(`${step}\n${step}\n${step}`, each(1), (container) => {
      code ??= container.querySelector('.code-block');
    });
    assert.equal(page.querySelectorAll('li > p').length, 3);
    assert.equal(page.querySelector('.code-block'), code);
  });

  it('renders pending text immediately when flushed', () => {
    const container = document.createElement('div');
    const frames = openFrames();
    const stream = createMarkdownStream(container);
    stream.push('First\n\nSec');
    assert.equal(container.textContent, '');
    stream.flush();
    assert.equal(container.textContent, 'FirstSec');
    stream.push('ond');
    frames.draw();
    assert.equal(container.textContent, 'FirstSecond');
    frames.close();
  });

  it('shows HTML as text', () => {
    const container = render('<img src=x onerror=alert(1)>\n\na <b onclick="x">b</b> <!-- c -->');
    assert.deepEqual(
      [...container.querySelectorAll('.page *')].map((node) => node.tagName),
      ['P', 'P'],
    );
    assert.match(container.textContent, /<img src=x onerror=alert\(1\)>/);
  });

  it('loads no image, and shows its address instead', () => {
    const container = render(
      '![secret](https://evil.example/?d=1) ![r][r] [![x](https://evil.example/2)](https://e.org)\n\n' +
        '[r]: https://evil.example/3',
    );
    assert.equal(container.querySelector('img'), null);
    assert.match(container.textContent, /secret \(https:\/\/evil\.example\/\?d=1\)/);
  });

  it('has no attribute with an address but the href of a link', () => {
    const container = render(
      '[a](https://e.org "title") <https://e.org/b> https://e.org/c\n\n' +
        '```js onload=https://e.org\n1\n```\n\n| a |\n|:-:|\n| [x](http://e.org) |',
    );
    for (const element of container.querySelectorAll('*')) {
      for (const { name, value } of element.attributes)
        if (value.includes('://')) assert.ok(name === 'href' || name === 'title', name);
      assert.equal(element.hasAttribute('style'), false);
    }
  });

  it('shows the text of footnotes, also if it is one word', () => {
    for (const text of ['Smith2020', 'https://e.org/a', 'two words', '<x>', '"a"', 'src/a.ts']) {
      const note = `[^note-1]: ${text}`;
      const page = renderStreamed(
        `See[^note-1], [r].\n\n${note}\n\n[r]: https://e.org/r\n`,
        each(1),
      );
      const paragraphs = [...page.querySelectorAll('p')].map(({ textContent }) => textContent);
      assert.deepEqual(paragraphs, ['See[^note-1], r.', note]);
    }
    const list = render('- See[^1].\n\n  [^1]: Smith2020\n  [^2]: Jones\n');
    assert.match(list.textContent, /See\[\^1\]\.\[\^1\]: Smith2020\n\[\^2\]: Jones/);
  });

  it('gives a name to the checkbox of a task', () => {
    const container = renderStreamed('- [ ] to do\n- [x] done\n', each(1));
    const boxes = [...container.querySelectorAll<HTMLInputElement>('input[type=checkbox]')];
    assert.deepEqual(
      boxes.map((box) => [box.getAttribute('aria-label'), box.checked]),
      [
        ['Task', false],
        ['Task', true],
      ],
    );
  });

  it('sets the direction of every paragraph by its text', () => {
    const container = render('English\n\n> עברית');
    const paragraphs = [...container.querySelectorAll('p')];
    assert.deepEqual(
      paragraphs.map(({ dir }) => dir),
      ['', 'rtl'],
    );
  });

  it('sets the direction of every item by the text next to its marker', () => {
    const container = renderStreamed('- one\n- שתיים\n  two\n  > three\n- # a\n  ארבע\n', each(1));
    const items = [...container.querySelectorAll('li')];
    assert.deepEqual(
      items.map(({ dir }) => dir),
      ['', 'rtl', ''],
    );
  });

  it('removes control characters and terminal sequences, however they are cut', () => {
    const text =
      'a\u001B]8;;https://evil.example\u0007b\u001B]8;;\u001B\\c\u001B[2Jd\u0008\u0085e\tf';
    fc.assert(
      fc.property(sizes, (cuts) => {
        assert.equal(
          renderStreamed(text, cuts).querySelector('.page')?.innerHTML,
          '<p>abcde\tf</p>',
        );
      }),
    );
  });

  it('reports a click on a link and does not follow it', () => {
    const container = document.createElement('div');
    const clicked: string[][] = [];
    const stream = createMarkdownStream(container, {
      openLink: (href, label) => clicked.push([href, label]),
    });
    stream.push('see [the **docs**](https://example.com/docs)');
    stream.end();
    for (const type of ['click', 'auxclick']) {
      const event = new MouseEvent(type, { bubbles: true, cancelable: true });
      container.querySelector('strong')?.dispatchEvent(event);
      assert.equal(event.defaultPrevented, true);
    }
    const expected = ['https://example.com/docs', 'the docs'];
    assert.deepEqual(clicked, [expected, expected]);
  });
});

/** The HTML of the rendered text, without its outer element and line breaks. */
function drawn(text: string): string {
  const { innerHTML } = render(text);
  return innerHTML.replace(/^<div class="page">|<\/div>$/g, '').replaceAll(/\s*\n\s*/g, ' ');
}

describe('Tags of HTML in a reply', () => {
  const elements: readonly (readonly [text: string, html: string])[] = [
    ['H<sub>2</sub>O', '<p>H<sub>2</sub>O</p>'],
    ['# m<SUP>2</SUP>', '<h1 aria-level="3">m<sup>2</sup></h1>'],
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

openPage();
const head = '| name | value |\n|---|--:|\n';

function rows(count: number): string {
  return Array.from({ length: count }, (_, index) => `| row ${index} | ${index} |\n`).join('');
}

describe('The rows of a table', () => {
  it('keep their order and their text', () => {
    const cells = renderStreamed(head + rows(60), each(5)).querySelectorAll('td:first-child');
    assert.deepEqual(
      Array.from(cells, ({ textContent }) => textContent),
      Array.from({ length: 60 }, (_, index) => `row ${index}`),
    );
  });
});

describe('The later rows of a long table', () => {
  let measured: Element[] = [];
  let fire: () => void = () => undefined;

  beforeEach(() => {
    measured = [];
    class Observer {
      constructor(listener: () => void) {
        fire = listener;
      }
      observe(element: Element): void {
        measured.push(element);
      }
    }
    Object.assign(globalThis, { ResizeObserver: Observer });
  });

  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'ResizeObserver');
  });

  it('have the column widths of the first ones, also after the panel was widened', () => {
    const page = renderStreamed(head + rows(60), each(50));
    assert.deepEqual(
      measured.map(({ textContent }) => textContent),
      ['name', 'value'],
    );
    const table = page.querySelector('table');
    for (const [first, second] of [
      [30, 40],
      [50, 70],
    ] as const) {
      const widths = [first, second];
      for (const cell of measured)
        Object.assign(cell, { getBoundingClientRect: () => ({ width: widths.shift() }) });
      fire();
      assert.equal(table?.style.getPropertyValue('--columns'), `${first}px ${second}px`);
      assert.equal(table.style.getPropertyValue('--width'), `${first + second}px`);
    }
  });

  it('keep them when a later link definition renders the table again', () => {
    const text = `${head}| [x] | 1 |\n${rows(60)}\n[x]: https://e.org/\n`;
    let isMeasured = false;
    const page = renderStreamed(text, each(50), () => {
      if (measured.length > 0 && !isMeasured) fire();
      isMeasured = measured.length > 0;
    });
    assert.equal(page.querySelector('td a')?.getAttribute('href'), 'https://e.org/');
    assert.notEqual(page.querySelector('table')?.style.getPropertyValue('--columns'), '');
  });
});
