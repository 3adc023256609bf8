import assert from 'node:assert/strict';
import { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { loadGrammar } from '../../../../src/webview/markdown/highlight/languages.ts';
import { openFrames } from '../frames.ts';
import { openPage } from '../page.ts';
import { each, render, renderStreamed } from './rendering.ts';

const { document } = openPage();

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
