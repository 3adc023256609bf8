import type { CDPSession, Page } from 'playwright-core';
import { background } from '../../src/core/support/background.ts';
import { animate, type AnimationFrame } from './webp.ts';

/** A screenshot in base64, and the time of drawing in seconds. */
interface Shot {
  readonly data: string;
  readonly time: number;
}

/** Milliseconds of a frame. Longer waits of a busy machine are shortened. */
const minFrameTime = 400;
const maxFrameTime = 2600;

/** Quality of lossy WebP: text stays readable, and half a minute stays below 1.5 MB. */
const quality = 0.5;

/** Records a page as an animated WebP. */
export class Recorder {
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #shots: Shot[] = [];

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async start(page: Page): Promise<Recorder> {
    const session = await page.context().newCDPSession(page);
    const recorder = new Recorder(page, session);
    session.on('Page.screencastFrame', ({ data, sessionId, metadata }) => {
      recorder.#shots.push({ data, time: metadata.timestamp ?? 0 });
      background(session.send('Page.screencastFrameAck', { sessionId }));
    });
    await session.send('Page.startScreencast', { format: 'png' });
    return recorder;
  }

  /**
   * Ends the recording.
   * @param end milliseconds for which the last frame stays
   */
  async stop(end: number): Promise<Uint8Array> {
    await this.#session.send('Page.stopScreencast');
    const encoder = await this.#page.context().newPage();
    try {
      return await encode(encoder, this.#shots, end);
    } finally {
      await encoder.close();
    }
  }
}

/** Encodes an animation of shots, using a page that has a canvas. */
async function encode(page: Page, all: readonly Shot[], end: number): Promise<Uint8Array> {
  const shots = lastShotPerTime(all);
  const frames: AnimationFrame[] = [];
  let size = { width: 0, height: 0 };
  for (const [index, { data, time }] of shots.entries()) {
    const next = shots[index + 1]?.time;
    const milliseconds =
      next === undefined ? end : Math.min(maxFrameTime, Math.round((next - time) * 1000));
    const change = await page.evaluate(encodeChange, {
      before: shots[index - 1]?.data,
      data,
      quality,
    });
    if (index === 0 && change !== undefined) size = { width: change.width, height: change.height };
    const previous = frames.pop();
    if (change === undefined) {
      if (previous !== undefined)
        frames.push({ ...previous, milliseconds: previous.milliseconds + milliseconds });
    } else {
      if (previous !== undefined) frames.push(previous);
      frames.push({ ...change, webp: Buffer.from(change.webp, 'base64'), milliseconds });
    }
  }
  return animate(size, frames);
}

/** The last shot at each time, in chronological order. Shots may arrive out of order. */
function lastShotPerTime(all: readonly Shot[]): readonly Shot[] {
  const momentOf = ({ time }: Shot): number => Math.floor((time * 1000) / minFrameTime);
  return all
    .toSorted((a, b) => a.time - b.time)
    .filter((shot, index, sorted) => {
      const next = sorted[index + 1];
      return next === undefined || momentOf(next) !== momentOf(shot);
    });
}

/** The smallest rectangle with all changed pixels, and these pixels in base64. */
interface Change {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly webp: string;
}

interface Encoding {
  /** Previous shot. Undefined for the first one. */
  readonly before: string | undefined;
  readonly data: string;
  readonly quality: number;
}

/** Runs in the page. */
async function encodeChange({
  before,
  data,
  quality: lossy,
}: Encoding): Promise<Change | undefined> {
  const pixelsOf = async (base64: string): Promise<ImageData> => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    if (context === null) throw new Error('This browser has no canvas.');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const picture = await pixelsOf(data);
  const { width, height } = picture;
  let [minX, minY, maxX, maxY] = [0, 0, width, height];
  if (before !== undefined) {
    const older = new Uint32Array((await pixelsOf(before)).data.buffer);
    const newer = new Uint32Array(picture.data.buffer);
    [minX, minY, maxX, maxY] = [width, height, 0, 0];
    for (const [index, pixel] of older.entries()) {
      if (newer[index] === pixel) continue;
      const [x, y] = [index % width, Math.floor(index / width)];
      [minX, maxX] = [Math.min(minX, x), Math.max(maxX, x + 1)];
      [minY, maxY] = [Math.min(minY, y), Math.max(maxY, y + 1)];
    }
    if (maxX === 0) return undefined;
  }
  // The format stores half of an offset.
  const [x, y] = [minX - (minX % 2), minY - (minY % 2)];
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [maxX - x, maxY - y];
  canvas.getContext('2d')?.putImageData(picture, -x, -y);
  const [, webp = ''] = canvas.toDataURL('image/webp', lossy).split(',');
  return { x, y, width: canvas.width, height: canvas.height, webp };
}
