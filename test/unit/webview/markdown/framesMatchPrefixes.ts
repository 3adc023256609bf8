import assert from 'node:assert/strict';
import { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { openFrames } from '../frames.ts';
import { document, each, renderStreamed } from './rendering.ts';

/** Removes paragraphs and direction of list items, which depend on text that may still change. */
function withoutParagraphs({ innerHTML }: HTMLElement): string {
  return innerHTML
    .replaceAll(/<\/?p(?: dir="rtl")?>/g, '')
    .replaceAll('<li dir="rtl">', '<li>')
    .replaceAll(/( dir="rtl")( class="[^"]*")/g, '$2$1');
}

function renderPrefix(part: string): HTMLElement {
  const container = document.createElement('div');
  const frames = openFrames();
  const stream = createMarkdownStream(container);
  stream.push(part);
  stream.flush();
  frames.close();
  return container;
}

/** Asserts that each frame of a text equals rendering at once what has arrived so far. */
export function assertFramesMatchPrefixes(markdown: string): void {
  let length = 0;
  renderStreamed(markdown, each(1), (container) => {
    length += 1;
    const part = markdown.slice(0, length);
    const atOnce = withoutParagraphs(renderPrefix(part));
    assert.equal(withoutParagraphs(container), atOnce, JSON.stringify(part));
  });
}
