import type { Locator, Page } from 'playwright-core';

/** Milliseconds to move to a button. */
const moveTime = 350;

/** An arrow in the page that shows clicks, because recordings don't contain the system's pointer. */
export class Pointer {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  static async show(page: Page): Promise<Pointer> {
    await page.evaluate((duration) => {
      const arrow = document.createElement('div');
      arrow.id = 'pointer';
      const path = 'M1 1v15l4-4 3 6 3-1.500-3-6h6z';
      arrow.innerHTML = `<svg width="18" height="22"><path d="${path}" fill="#fff" stroke="#000"/></svg>`;
      arrow.style.cssText = `position:fixed;z-index:100000;pointer-events:none;left:60%;top:60%;transition:left ${duration}ms,top ${duration}ms`;
      document.body.append(arrow);
    }, moveTime);
    return new Pointer(page);
  }

  /** Moves the arrow to an element, and clicks the element. */
  async click(target: Locator): Promise<void> {
    await target.waitFor();
    const box = await target.boundingBox();
    if (box === null) throw new Error('There is nothing to click.');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await this.#page.evaluate(
      ([x, y]) => {
        const arrow = document.getElementById('pointer');
        if (arrow !== null) Object.assign(arrow.style, { left: `${x}px`, top: `${y}px` });
      },
      [x, y] as const,
    );
    await this.#page.waitForTimeout(moveTime * 1.5);
    await target.click();
  }
}
