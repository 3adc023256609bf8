import type { Locator } from 'playwright-core';

/**
 * Presses a button of the panel that takes only deliberate presses, once it takes them. A click
 * alone would scroll at each of its tries, and a button that was moved waits again.
 */
export async function press(button: Locator): Promise<void> {
  await button.locator('xpath=self::*[not(@aria-disabled="true")]').click();
}
