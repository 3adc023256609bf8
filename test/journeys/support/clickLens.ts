import type { Locator } from 'playwright-core';

/**
 * Clicks a code lens until its effect shows. VS Code redraws lenses when their provider fires, and
 * a click at that moment is lost.
 * @param removed what the click removes
 */
export async function clickLens(lens: Locator, removed: Locator = lens): Promise<void> {
  await lens.click();
  await removed.waitFor({ state: 'hidden', timeout: 10_000 }).catch(() => lens.click());
  await removed.waitFor({ state: 'hidden' });
}
