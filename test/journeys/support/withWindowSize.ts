import type { Page } from 'playwright-core';
import { Stage } from './stage.ts';

/** Does something in a window of another size, in CSS pixels, which then gets the usual one. */
export async function withWindowSize(
  page: Page,
  [width, height]: readonly [number, number],
  act: () => Promise<void>,
): Promise<void> {
  await page.setViewportSize({ width, height });
  await act();
  await page.setViewportSize(Stage.sizeOf({}));
}
