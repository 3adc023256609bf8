import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Does something while the sidebar has another width, in CSS pixels. */
export async function withSidebarWidth(
  page: Page,
  width: number,
  act: () => Promise<void>,
): Promise<void> {
  const previous = await dragEdge(page, width);
  await act();
  await dragEdge(page, previous);
}

/** Drags the edge of the sidebar until it has this width. Resolves with the previous width. */
async function dragEdge(page: Page, width: number): Promise<number> {
  const { mouse } = page;
  const box = await page.locator('.part.sidebar').boundingBox();
  assert.ok(box);
  await mouse.move(box.x + box.width, 400);
  await mouse.down();
  await mouse.move(box.x + width, 400, { steps: 10 });
  await mouse.up();
  return box.width;
}
