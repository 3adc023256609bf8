import assert from 'node:assert/strict';
import type { Journey } from './journey.ts';

/** Drags the edge of the sidebar until it has this width. */
export async function narrowSidebar({ workbench }: Journey, width: number): Promise<void> {
  const { mouse } = workbench.page;
  const box = await workbench.page.locator('.part.sidebar').boundingBox();
  assert.ok(box);
  await mouse.move(box.x + box.width, 400);
  await mouse.down();
  await mouse.move(box.x + width, 400, { steps: 10 });
  await mouse.up();
}
