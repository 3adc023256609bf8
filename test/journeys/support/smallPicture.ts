import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { withoutProfile } from '../../pictures/webp.ts';
import { outFolder } from '../../support/paths.ts';
import { theme } from './stage.ts';

/** Pictures of the walkthrough, to be copied to `media/walkthrough`. */
const folder = join(outFolder, 'walkthrough');

/** Bytes: the pictures of the walkthrough are part of the package. */
const most = 8500;

/** WebP packs two pixels with up to 16 colors into a byte, without blurring text. */
const colors = 16;

/** CSS pixels: text in wider pictures would be unreadable in the walkthrough. */
const mostWidth = 480;
const mostArea = 132_000;

/**
 * Saves a picture of the upper left of an element, small enough for the package. In a light theme,
 * its name ends with `-light`.
 * @param height maximum in CSS pixels
 */
export async function takeSmallPicture(part: Locator, name: string, height = 440): Promise<void> {
  const box = await part.boundingBox();
  if (box === null) throw new Error(`There is nothing to see of ${name}.`);
  const width = Math.min(box.width, mostWidth);
  const clip = { ...box, width, height: Math.min(box.height, height, mostArea / width) };
  const picture = await part.page().screenshot({ animations: 'disabled', clip });
  const bytes = picture.toString('base64');
  // A new page would take the focus and close lists.
  const small = await part.page().evaluate(compress, { bytes, colors });
  const file = withoutProfile(Buffer.from(small, 'base64'));
  if (file.length > most) throw new Error(`${name} has ${file.length} bytes.`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}${theme === 'light' ? '-light' : ''}.webp`), file);
}

/**
 * Runs in the page. Returns the picture as lossless WebP in base64, reduced to its most important
 * colors. Each next color is the one that is most frequent and most unlike those before: a small
 * red sign stays red, and the edges of letters have fewer shades.
 */
async function compress({ bytes, colors }: { bytes: string; colors: number }): Promise<string> {
  const data = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([data], { type: 'image/png' }));
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser has no canvas.');
  context.drawImage(image, 0, 0);
  const picture = context.getImageData(0, 0, image.width, image.height);
  const pixels = new Uint32Array(picture.data.buffer);
  const channels = (color: number): readonly number[] =>
    [0, 8, 16].map((by) => (color >>> by) & 255);
  const distance = (a: number, b: number): number => {
    const levels = channels(b);
    return channels(a).reduce((sum, level, index) => sum + (level - (levels[index] ?? 0)) ** 2, 0);
  };
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const shades = [...counts].map(([color, count]) => {
    return { color, count, nearest: color, apart: 3 * 255 ** 2 };
  });
  for (let chosen = 0; chosen < colors; chosen++) {
    const importance = ({ count, apart }: (typeof shades)[number]): number =>
      Math.sqrt(count) * apart;
    const next = shades.reduce((a, b) => (importance(b) > importance(a) ? b : a)).color;
    for (const shade of shades) {
      const apart = distance(shade.color, next);
      if (apart < shade.apart) Object.assign(shade, { nearest: next, apart });
    }
  }
  const nearest = new Map(shades.map((shade) => [shade.color, shade.nearest]));
  for (const [index, pixel] of pixels.entries()) pixels[index] = nearest.get(pixel) ?? pixel;
  context.putImageData(picture, 0, 0);
  // A quality of 1 is lossless.
  return canvas.toDataURL('image/webp', 1).replace(/^.*,/, '');
}
