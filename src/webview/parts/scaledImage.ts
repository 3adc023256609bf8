import { orUndefined } from '../../core/support/background.ts';
import { bytesOfBase64, longestSide, readImageHeader } from '../../core/support/image.ts';

/** Maximum bytes of a lossless image, in which text is readable; larger ones are written lossy. */
const mostLossless = 1_000_000;
const quality = 0.9;

/** Bytes that contain the size of an image: a photo may have megabytes of metadata before it. */
const headSizes = [64_000, 8_000_000];

/**
 * Redraws an image, so that its longest side has at most 1,568 pixels and only pixels remain: no
 * location, date or camera.
 *
 * @returns undefined for an image that the browser can't show, whose format services don't accept,
 * or that has too many pixels, which is checked before decoding it
 */
export async function scaledImage(file: Blob): Promise<Blob | undefined> {
  if (!(await isBounded(file))) return undefined;
  const bitmap = await orUndefined(createImageBitmap(file));
  if (bitmap === undefined) return undefined;
  const canvas = drawnIn(bitmap, longestSide);
  bitmap.close();
  if (file.type === 'image/jpeg') return canvas.convertToBlob({ type: 'image/jpeg', quality });
  const lossless = await canvas.convertToBlob({ type: 'image/png' });
  if (lossless.size <= mostLossless) return lossless;
  return canvas.convertToBlob({ type: 'image/webp', quality });
}

async function isBounded(file: Blob): Promise<boolean> {
  for (const size of headSizes) {
    const bytes = bytesOfBase64(await readBase64(file.slice(0, size)));
    if (bytes !== undefined && readImageHeader(bytes) !== undefined) return true;
  }
  return false;
}

function drawnIn(bitmap: ImageBitmap, side: number): OffscreenCanvas {
  const { width, height } = fittedSize(bitmap, side);
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context !== null) context.imageSmoothingQuality = 'high';
  context?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** The size of an image scaled so that its longest side has at most this many pixels. */
export function fittedSize(
  { width, height }: Pick<ImageBitmap, 'width' | 'height'>,
  side: number,
): Pick<ImageBitmap, 'width' | 'height'> {
  const scale = Math.min(1, side / Math.max(width, height));
  const fit = (length: number): number => Math.max(1, Math.round(length * scale));
  return { width: fit(width), height: fit(height) };
}

/** The bytes of a file in base64. */
export function readBase64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const { result } = reader;
      resolve(typeof result === 'string' ? result.slice(result.indexOf(',') + 1) : '');
    };
    reader.onerror = () => reject(reader.error ?? new Error('The image could not be read.'));
    reader.readAsDataURL(file);
  });
}
