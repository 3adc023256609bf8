import assert from 'node:assert/strict';
import {
  createMarkdownStream,
  type MarkdownActions,
} from '../../../../src/webview/markdown/index.ts';
import { loadGrammar } from '../../../../src/webview/markdown/languages.ts';
import { openFrames } from '../frames.ts';
import { each, render, renderStreamed, document } from './rendering.ts';

/** Highlighted words, each after its kind. */
function coloured(container: HTMLElement): string[] {
  return [...container.querySelectorAll('[class^=token-]')].map(
    ({ className, textContent }) => `${className.slice('token-'.length)} ${textContent}`,
  );
}

describe('Code in a reply', () => {
  before(async () => {
    for (const name of ['ts', 'py', 'rust']) await loadGrammar(name);
  });

  it('is highlighted in its language', () => {
    assert.deepEqual(coloured(render('```ts\nconst a = "b"; // c 1\n```')), [
      'keyword const',
      'string "b"',
      'comment // c 1',
    ]);
    assert.deepEqual(coloured(render('```py\ndef f(): return 1\n```')), [
      'keyword def',
      'keyword return',
      'number 1',
    ]);
  });

  it('keeps the state of the grammar across lines', () => {
    const code = '```ts\nlet a = `one\n${two} three`;\n/* four\nfive */ let b;\n```\n';
    const expected = coloured(render(code));
    assert.ok(expected.includes('comment five */'));
    assert.deepEqual(coloured(renderStreamed(code, each(1))), expected);
  });

  it('is plain in an unknown language', () => {
    assert.deepEqual(coloured(render('```nonsense\nconst a = 1;\n```')), []);
    assert.deepEqual(coloured(render('```constructor\nconst a = 1;\n```')), []);
  });

  it('is highlighted as soon as the grammar is loaded, also while streaming', async () => {
    const container = document.createElement('div');
    const frames = openFrames();
    const stream = createMarkdownStream(container);
    stream.push('```lua\nlocal a = 1\n```\n\n- in a list\n\n  ```lua\n  local b = 2\n  local c');
    frames.draw();
    assert.deepEqual(coloured(container), []);
    await loadGrammar('lua');
    assert.deepEqual(coloured(container), [
      'keyword local',
      'number 1',
      'keyword local',
      'number 2',
    ]);
    stream.push(' = 3\n  ```\n');
    stream.end();
    frames.close();
    assert.equal(container.textContent, 'lualocal a = 1\nin a listlualocal b = 2\nlocal c = 3\n');
    assert.equal(coloured(container).length, 6);
  });
});

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
