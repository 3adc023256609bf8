import type { Page } from 'playwright-core';

/** What an action copies. The clipboard is emptied first, as all journeys share it. */
export async function copiedBy(page: Page, copy: () => Promise<void>): Promise<string> {
  await page.evaluate(async () => navigator.clipboard.writeText(''));
  await copy();
  // `waitForFunction` takes a promise for a yes.
  for (;;) {
    const copied = await page.evaluate(async () => navigator.clipboard.readText());
    if (copied !== '') return copied;
  }
}
