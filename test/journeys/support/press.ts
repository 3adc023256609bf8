import type { Locator } from 'playwright-core';

/**
 * A button of the panel that takes only deliberate presses, once it takes them, which its picture
 * also shows.
 */
export function ready(button: Locator): Locator {
  return button.locator('xpath=self::*[not(@aria-disabled="true")]');
}

/**
 * Presses such a button. A click alone would scroll at each of its tries, and a button that was
 * moved waits again.
 */
export async function press(button: Locator): Promise<void> {
  await ready(button).click();
}
