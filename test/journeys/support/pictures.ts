import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { outFolder } from '../../support/paths.ts';

/** Kept after the run, for inspection. */
export const picturesFolder = join(outFolder, 'screenshots');

/** Takes a screenshot of the whole window. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(picturesFolder, `${name}.png`), animations: 'disabled' });
}

/** Saves what a failed journey showed: a screenshot, and the text of every frame. */
export async function takeEvidence(page: Page, name: string, log: string): Promise<void> {
  await takePicture(page, name);
  const texts = page.frames().map(async (frame) => {
    const text = await frame.locator('body').innerText({ timeout: 5000 });
    return `--- ${frame.url()}\n${text}`;
  });
  const settled = await Promise.allSettled(texts);
  const seen = settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));
  await writeFile(join(picturesFolder, `${name}.txt`), [...seen, '--- server', log].join('\n'));
}
