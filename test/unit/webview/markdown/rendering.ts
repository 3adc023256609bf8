import assert from 'node:assert/strict';
import { createMarkdownStream } from '../../../../src/webview/markdown/index.ts';
import { openFrames } from '../frames.ts';
import { openPage } from '../page.ts';

export const { document } = openPage();

/** Renders a text that arrives at once. */
export function render(text: string): HTMLElement {
  const container = document.createElement('div');
  const stream = createMarkdownStream(container);
  stream.push(text);
  stream.end();
  return container;
}

/** Renders a text that arrives in pieces of these sizes, one per frame. */
export function renderStreamed(
  text: string,
  sizes: Iterable<number>,
  afterFrame: (container: HTMLElement) => void = () => undefined,
): HTMLElement {
  const container = document.createElement('div');
  const frames = openFrames();
  const stream = createMarkdownStream(container);
  let start = 0;
  for (const size of sizes) {
    if (start >= text.length) break;
    stream.push(text.slice(start, start + size));
    start += size;
    frames.draw();
    afterFrame(container);
  }
  stream.end();
  frames.close();
  return container;
}

/** Asserts that a text looks the same in the end, in whatever pieces it arrives. */
export function assertSameStreamed(text: string, sizes: Iterable<number>): void {
  assert.equal(renderStreamed(text, sizes).innerHTML, render(text).innerHTML);
}

export function* each(size: number): Iterable<number> {
  for (;;) yield size;
}
