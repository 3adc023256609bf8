/** A changed rectangle of the animation, and its duration. */
export interface AnimationFrame {
  /** Pixels from the upper left corner. Must be even, because the format stores half of them. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly milliseconds: number;
  /** A still WebP of the rectangle. */
  readonly webp: Uint8Array;
}

/** Maximum milliseconds of a frame, which the format stores in three bytes. */
const maxFrameTime = 0xff_ffff;

/**
 * Joins still pictures into an animated WebP that loops forever. Each frame is drawn on top of the
 * previous one.
 */
export function animate(
  { width, height }: { readonly width: number; readonly height: number },
  frames: readonly AnimationFrame[],
): Uint8Array {
  const animationFlag = 0b10;
  const header = chunk('VP8X', [
    animationFlag,
    0,
    0,
    0,
    ...uint24(width - 1),
    ...uint24(height - 1),
  ]);
  const loops = chunk('ANIM', [0, 0, 0, 0xff, 0, 0]);
  const body = Buffer.concat([header, loops, ...frames.map(frameChunk)]);
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), body]));
}

/** A still picture without its color profile, which is the same for all pages. */
export function withoutProfile(webp: Uint8Array): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), imageOf(webp)]));
}

function frameChunk({ x, y, width, height, milliseconds, webp }: AnimationFrame): Buffer {
  const overPrevious = 0;
  const fields = [x / 2, y / 2, width - 1, height - 1, Math.min(milliseconds, maxFrameTime)];
  const head = [...fields.flatMap(uint24), overPrevious];
  return chunk('ANMF', Buffer.concat([Buffer.from(head), imageOf(webp)]));
}

/** Pixel chunk of a still picture, without its container. */
function imageOf(webp: Uint8Array): Buffer {
  const bytes = Buffer.from(webp);
  for (let start = 12; start < bytes.length;) {
    const name = bytes.toString('latin1', start, start + 4);
    const size = bytes.readUInt32LE(start + 4);
    const end = start + 8 + size + (size % 2);
    if (name === 'VP8 ' || name === 'VP8L') return bytes.subarray(start, end);
    if (name === 'ALPH') throw new Error('A frame must not be transparent.');
    start = end;
  }
  throw new Error('A frame must be a picture in WebP.');
}

/** A RIFF chunk: a name of four letters, the size, and the data padded to an even size. */
function chunk(name: string, data: Uint8Array | readonly number[]): Buffer {
  const bytes = Buffer.from(data);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  return Buffer.concat([Buffer.from(name), size, bytes, Buffer.alloc(bytes.length % 2)]);
}

function uint24(value: number): readonly number[] {
  return [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff];
}
