import type { Page } from 'playwright-core';

/** Text that an action copies. Journeys share the clipboard, so it is emptied first. */
export async function copiedBy(page: Page, copy: () => Promise<void>): Promise<string> {
  await page.evaluate(async () => navigator.clipboard.writeText(''));
  await copy();
  // `waitForFunction` treats a promise as truthy.
  for (;;) {
    const copied = await page.evaluate(async () => navigator.clipboard.readText());
    if (copied !== '') return copied;
  }
}
