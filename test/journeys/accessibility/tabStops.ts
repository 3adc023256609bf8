import type { Page } from 'playwright-core';

/** Types and names of the elements that Tab reaches, in order, from the start of an element. */
export async function tabStops(page: Page, within: string): Promise<readonly string[]> {
  await page.evaluate((selector) => {
    const first = document.createElement('div');
    first.tabIndex = -1;
    document.querySelector(selector)?.prepend(first);
    first.focus();
    // Tab continues from here even after the element is removed.
    first.remove();
  }, within);
  const stops: string[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    if (stop === '' || stops.length > 200) return stops;
    stops.push(stop);
  }
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    if (element === null || element === document.body) return '';
    const [named] = element instanceof HTMLInputElement ? (element.labels ?? []) : [];
    const label = element.getAttribute('aria-label') ?? named?.textContent;
    const name = (label ?? element.textContent).replaceAll(/\s+/g, ' ').trim().slice(0, 80);
    const kind = element.getAttribute('role') ?? element.tagName.toLowerCase();
    return `${kind} ${JSON.stringify(name)}`;
  });
}
