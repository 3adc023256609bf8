import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { outFolder } from '../../support/paths.ts';

/** The pictures of the walkthrough, to be copied to `media/walkthrough`. */
const folder = join(outFolder, 'walkthrough');

/** Bytes: the pictures of the walkthrough are part of the package. */
const most = 10_000;

/** CSS pixels: more would be unreadable in the walkthrough. */
const mostWidth = 480;
const mostArea = 132_000;

/**
 * Saves a picture of the upper left part of an element that is small enough for the package.
 *
 * @param height CSS pixels at most
 */
export async function takeSmallPicture(part: Locator, name: string, height = 440): Promise<void> {
  const box = await part.boundingBox();
  if (box === null) throw new Error(`There is nothing to see of ${name}.`);
  const width = Math.min(box.width, mostWidth);
  const clip = { ...box, width, height: Math.min(box.height, height, mostArea / width) };
  const picture = await part.page().screenshot({ animations: 'disabled', clip });
  const bytes = picture.toString('base64');
  // Another page would take the focus, and close lists.
  const small = await part.page().evaluate(compress, { bytes, most });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.webp`), Buffer.from(small, 'base64'));
}

/** Runs in the page: the best picture in WebP of this many bytes, in base64. */
async function compress({ bytes, most: limit }: { bytes: string; most: number }): Promise<string> {
  const data = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([data], { type: 'image/png' }));
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  // With a quality of 1 it is without loss.
  for (let quality = 1; quality > 0.1; quality -= 0.05) {
    const [, small = ''] = canvas.toDataURL('image/webp', quality).split(',');
    if (small.length * 0.75 <= limit) return small;
  }
  throw new Error('The picture is too large for the package.');
}
