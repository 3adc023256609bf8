import type { Page } from 'playwright-core';

/** What an action copies. The clipboard is emptied first, as all journeys share it. */
export async function copiedBy(page: Page, copy: () => Promise<void>): Promise<string> {
  await page.evaluate(async () => navigator.clipboard.writeText(''));
  await copy();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()) !== '');
  return page.evaluate(async () => navigator.clipboard.readText());
}
