/** Images of messages, small in the page and scaled for sending. Loaded with the first image. */
import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { background, orUndefined } from '../../core/support/background.ts';
import { bytesOfBase64 } from '../../core/support/image.ts';
import { revealInvisible } from '../../core/support/text.ts';
import type { Store } from '../state/store.ts';
import { useStore } from './hooks.ts';
import { fittedSize, readBase64, scaledImage } from './scaledImage.ts';

interface Original {
  readonly attachment: string;
  readonly edited?: string;
}

interface Props {
  readonly hash: string;
  readonly name: string;
  /** True if the adjacent text is its name, so that it isn't announced twice. */
  readonly isNamed?: boolean;
  readonly original?: Original | undefined;
}

/** Pixels of the longest side, twice the displayed size. */
const longestSide = 400;
/** Number of cached thumbnails. */
const mostKept = 60;

const bitmaps = new Map<string, Promise<ImageBitmap | undefined>>();

/** Draws an image on a canvas: the page never loads images from addresses (threats: T01). */
export function Thumbnail({ hash, name, isNamed = false, original }: Props) {
  const store = useStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isMissing, setMissing] = useState(false);
  const label = revealInvisible(name).text;
  const isOriginal = original !== undefined;
  useLayoutEffect(() => {
    if (original !== undefined) store.waitFor(scaleOriginal(store, hash, original));
    // The original isn't a dependency: a chip is rendered often, but its file scaled once.
  }, [store, hash, isOriginal]);
  useLayoutEffect(() => {
    let isCurrent = true;
    background(
      smallImage(store, hash).then((bitmap) => {
        if (isCurrent && bitmap !== undefined) draw(canvas.current, bitmap);
        if (isCurrent) setMissing(bitmap === undefined);
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

function draw(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): void {
  if (canvas === null) return;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.style.aspectRatio = `${bitmap.width} / ${bitmap.height}`;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
}

function smallImage(store: Store, hash: string): Promise<ImageBitmap | undefined> {
  const known = bitmaps.get(hash);
  if (known !== undefined) return known;
  const read = orUndefined(readSmall(store, hash));
  bitmaps.set(hash, read);
  // A missing image may arrive later, with a chat that has it.
  background(read.then((bitmap) => bitmap ?? bitmaps.delete(hash)));
  for (const oldest of bitmaps.size > mostKept ? bitmaps.keys() : []) {
    bitmaps.delete(oldest);
    break;
  }
  return read;
}

/** Scales an image for sending. An unreadable image stays unchanged. */
async function scaleOriginal(store: Store, hash: string, original: Original): Promise<void> {
  const file = await readFile(store, hash);
  const scaled = file && (await scaledImage(file));
  if (scaled === undefined) return;
  await store.request('scale-image', { base64: await readBase64(scaled), ...original });
}

async function readFile(store: Store, hash: string): Promise<Blob | undefined> {
  const url = (await store.readImage(hash)) ?? '';
  const [, type = '', base64 = ''] = /^data:([^;]{1,50});base64,([^]*)$/.exec(url) ?? [];
  const bytes = base64 === '' ? undefined : bytesOfBase64(base64);
  return bytes && new Blob([bytes], { type });
}

async function readSmall(store: Store, hash: string): Promise<ImageBitmap | undefined> {
  const file = await readFile(store, hash);
  if (file === undefined) return undefined;
  const whole = await createImageBitmap(file);
  const { width, height } = fittedSize(whole, longestSide);
  const size = { resizeWidth: width, resizeHeight: height };
  const small = await createImageBitmap(whole, { ...size, resizeQuality: 'high' });
  whole.close();
  return small;
}
