/** Images of messages: small in the page, scaled for sending. */
import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { background, orUndefined } from '../../core/support/background.ts';
import { bytesOfBase64, longestSide, readImageHeader } from '../../core/support/image.ts';
import { revealInvisible } from '../../core/support/text.ts';
import type { Store } from '../state/store.ts';
import { useStore } from './hooks.ts';

/** Pixels of the longest side of a thumbnail, twice the displayed size. */
const thumbnailSide = 400;
/** Number of cached thumbnails. */
const mostKept = 60;

const bitmaps = new Map<string, Promise<ImageBitmap | undefined>>();

interface ThumbnailProps {
  readonly hash: string;
  readonly name: string;
  /** True if the adjacent text is its name, so that it isn't announced twice. */
  readonly isNamed?: boolean;
  /** The attachment whose file is to be scaled for sending. */
  readonly original?:
    | { readonly attachment: string; readonly edited?: string | undefined }
    | undefined;
}

/** Draws an image on a canvas: the page never loads images from addresses (threats: T01). */
export function Thumbnail({ hash, name, isNamed = false, original }: ThumbnailProps) {
  const store = useStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isMissing, setMissing] = useState(false);
  const label = revealInvisible(name).text;
  const isOriginal = original !== undefined;
  useLayoutEffect(() => {
    if (original === undefined) return;
    const scale = async (): Promise<void> => {
      const file = await readFile(store, hash);
      const scaled = file && (await scaledImage(file));
      // An unreadable image stays unchanged.
      if (scaled !== undefined)
        await store.call('scale-image', { base64: await readBase64(scaled), ...original });
    };
    store.waitFor(scale());
    // The original isn't a dependency: a chip is rendered often, but its file scaled once.
  }, [store, hash, isOriginal]);
  useLayoutEffect(() => {
    let isCurrent = true;
    background(
      thumbnail(store, hash).then((bitmap) => {
        if (!isCurrent) return;
        setMissing(bitmap === undefined);
        const { current } = canvas;
        if (current === null || bitmap === undefined) return;
        current.width = bitmap.width;
        current.height = bitmap.height;
        current.style.aspectRatio = `${bitmap.width} / ${bitmap.height}`;
        current.getContext('2d')?.drawImage(bitmap, 0, 0);
      }),
    );
    return () => (isCurrent = false);
  }, [store, hash]);
  if (isMissing)
    return (
      <span class="missing-image" aria-hidden={isNamed}>
        {l10n.t('The image {0} is missing.', label)}
      </span>
    );
  const canvasProps = { ref: canvas, class: 'thumbnail', width: 0, height: 0 };
  return isNamed ? (
    <canvas {...canvasProps} aria-hidden />
  ) : (
    <canvas {...canvasProps} role="img" aria-label={label} />
  );
}

function thumbnail(store: Store, hash: string): Promise<ImageBitmap | undefined> {
  const known = bitmaps.get(hash);
  if (known !== undefined) return known;
  const read = async (): Promise<ImageBitmap | undefined> => {
    const file = await readFile(store, hash);
    if (file === undefined) return undefined;
    const whole = await createImageBitmap(file);
    const { width, height } = fittedSize(whole, thumbnailSide);
    const size = { resizeWidth: width, resizeHeight: height };
    const small = await createImageBitmap(whole, { ...size, resizeQuality: 'high' });
    whole.close();
    return small;
  };
  const bitmap = orUndefined(read());
  bitmaps.set(hash, bitmap);
  // A missing image may arrive later, with a chat that has it.
  background(bitmap.then((image) => image ?? bitmaps.delete(hash)));
  const [oldest] = bitmaps.keys();
  if (bitmaps.size > mostKept && oldest !== undefined) bitmaps.delete(oldest);
  return bitmap;
}

async function readFile(store: Store, hash: string): Promise<Blob | undefined> {
  const url = (await store.readImage(hash)) ?? '';
  const [, type = '', base64 = ''] = /^data:([^;]{1,50});base64,([^]*)$/.exec(url) ?? [];
  const bytes = base64 === '' ? undefined : bytesOfBase64(base64);
  return bytes && new Blob([bytes], { type });
}

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
  let isBounded = false;
  for (const size of headSizes) {
    if (isBounded) break;
    const bytes = bytesOfBase64(await readBase64(file.slice(0, size)));
    isBounded = bytes !== undefined && readImageHeader(bytes) !== undefined;
  }
  const bitmap = isBounded ? await orUndefined(createImageBitmap(file)) : undefined;
  if (bitmap === undefined) return undefined;
  const { width, height } = fittedSize(bitmap, longestSide);
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context !== null) context.imageSmoothingQuality = 'high';
  context?.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  if (file.type === 'image/jpeg') return canvas.convertToBlob({ type: 'image/jpeg', quality });
  const lossless = await canvas.convertToBlob({ type: 'image/png' });
  if (lossless.size <= mostLossless) return lossless;
  return canvas.convertToBlob({ type: 'image/webp', quality });
}

/** The size of an image scaled so that its longest side has at most this many pixels. */
function fittedSize({ width, height }: ImageBitmap, side: number) {
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
