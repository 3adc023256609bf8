import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { outFolder } from '../../support/paths.ts';

/** Stays after the run, for inspection. */
export const picturesFolder = join(outFolder, 'screenshots');

/** Takes a screenshot of the whole window. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(picturesFolder, `${name}.png`), animations: 'disabled' });
}

/** Logs of a window and its server. */
interface Logs {
  readonly window: readonly string[];
  readonly server: string;
}

/** Saves a screenshot, the text and focus of every frame, and the logs of a failed journey. */
export async function takeEvidence(page: Page, name: string, logs: Logs): Promise<void> {
  await takePicture(page, name);
  const texts = page.frames().map(async (frame) => {
    const text = await frame.locator('body').innerText({ timeout: 5000 });
    const focus = await frame.evaluate(() => {
      const element = document.activeElement?.cloneNode();
      const start = element instanceof Element ? element.outerHTML.slice(0, 200) : 'nothing';
      return document.hasFocus() ? `focus in ${start}` : 'no focus';
    });
    return `--- ${frame.url()}, ${focus}\n${text}`;
  });
  const settled = await Promise.allSettled(texts);
  const pageTexts = settled.map((result) =>
    result.status === 'fulfilled' ? result.value : String(result.reason),
  );
  const logged = ['--- window', ...logs.window, '--- server', logs.server];
  await writeFile(join(picturesFolder, `${name}.txt`), [...pageTexts, ...logged].join('\n'));
}
