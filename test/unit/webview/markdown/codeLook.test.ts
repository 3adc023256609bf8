import assert from 'node:assert/strict';
import {
  createMarkdownStream,
  type MarkdownActions,
} from '../../../../src/webview/markdown/index.ts';
import { openFrames } from '../frames.ts';
import { document } from './rendering.ts';

const button = (block: Element, name: string): HTMLElement => {
  const match = block.querySelector<HTMLElement>(`[aria-label="${name}"]`);
  assert.ok(match !== null, `There is no button ${name}.`);
  return match;
};

type Menu = Parameters<NonNullable<MarkdownActions['openMenu']>>[1];

let opened: Menu = [];

function menuOf(block: Element): Menu {
  button(block, 'More Code Actions…').click();
  return opened;
}

function choose(block: Element, entry: string): void {
  const item = menuOf(block).find(({ name }) => name === entry);
  assert.ok(item !== undefined, entry);
  item.run();
}

/** The view state of a block, and what its button and its menu show of it. */
const lookOf = (block: Element): readonly (boolean | string | null)[] => [
  block.hasAttribute('data-folded'),
  button(block, 'Show Code').getAttribute('aria-expanded'),
  block.hasAttribute('data-wrapped'),
  menuOf(block).find(({ name }) => name === 'Word Wrap')?.isOn ?? null,
];

describe('a code block', () => {
  let frames: ReturnType<typeof openFrames>;
  let container: HTMLElement;
  let stream: ReturnType<typeof createMarkdownStream>;

  const write = (text: string): void => {
    stream.push(text);
    frames.draw();
  };
  const blocks = (): readonly Element[] => [...container.querySelectorAll('.code-block')];

  beforeEach(() => {
    frames = openFrames();
    container = document.createElement('div');
    stream = createMarkdownStream(container, {
      runCode: () => Promise.resolve(true),
      openMenu: (_, items) => (opened = items),
    });
  });

  afterEach(() => frames.close());

  it('is folded and wrapped by its buttons, and keeps its text', () => {
    write('```ts\nlet a;\n```\n');
    stream.end();
    const [block] = blocks();
    assert.ok(block !== undefined);
    assert.deepEqual(lookOf(block), [false, 'true', false, false]);
    button(block, 'Show Code').click();
    assert.deepEqual(lookOf(block), [true, 'false', false, false]);
    choose(block, 'Word Wrap');
    button(block, 'Show Code').click();
    assert.deepEqual(lookOf(block), [false, 'true', true, true]);
    assert.equal(block.querySelector('code')?.textContent, 'let a;\n');
  });

  it('offers the preview for diagrams if an extension renders them', () => {
    write('```mermaid\ngraph TD;\n```\n\n```ts\nlet a;\n```\n');
    stream.end();
    const names = (): readonly string[][] =>
      blocks().map((block) => menuOf(block).map(({ name }) => name));
    const all = ['Insert at Cursor', 'New File', 'Word Wrap'];
    assert.deepEqual(names(), [all, all]);
    document.documentElement.setAttribute('data-diagrams', '');
    assert.deepEqual(names(), [all.toSpliced(2, 0, 'Open Preview'), all]);
    document.documentElement.removeAttribute('data-diagrams');
  });

  it("keeps its state while it grows, and doesn't affect other blocks", () => {
    write('```ts\nlet a;\n');
    const [first] = blocks();
    assert.ok(first !== undefined);
    button(first, 'Show Code').click();
    choose(first, 'Word Wrap');
    for (let line = 0; line < 250; line++) write(`const line${line} = ${line};\n`);
    write('```\n\nThen:\n\n```ts\nlet b;\n```\n\nAnd more.\n');
    stream.end();
    assert.equal(blocks()[0], first);
    assert.deepEqual(blocks().map(lookOf), [
      [true, 'false', true, true],
      [false, 'true', false, false],
    ]);
    assert.match(first.textContent, /line249 = 249/);
  });
});
