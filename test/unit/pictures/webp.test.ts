import assert from 'node:assert/strict';
import { animate, type AnimationFrame } from '../../pictures/webp.ts';

describe('an animated WebP', () => {
  const frame: AnimationFrame = {
    x: 6,
    y: 258,
    width: 3,
    height: 2,
    milliseconds: 1500,
    webp: still('VP8L', [1, 2, 3]),
  };

  it('begins with the size of the picture, and plays forever', () => {
    const [header, loops] = chunksOf(animate({ width: 1000, height: 620 }, [frame]));
    assert.deepEqual(header, { name: 'VP8X', data: [0b10, 0, 0, 0, 231, 3, 0, 107, 2, 0] });
    assert.deepEqual(loops, { name: 'ANIM', data: [0, 0, 0, 255, 0, 0] });
  });

  it('has position and duration of each frame before its pixels', () => {
    const frames = chunksOf(animate({ width: 1000, height: 620 }, [frame, frame])).slice(2);
    const head = [3, 0, 0, 129, 0, 0, 2, 0, 0, 1, 0, 0, 220, 5, 0, 0];
    const pixels = [...Buffer.from('VP8L'), 3, 0, 0, 0, 1, 2, 3, 0];
    const expected = { name: 'ANMF', data: [...head, ...pixels] };
    assert.deepEqual(frames, [expected, expected]);
  });

  it('uses only the pixels of pictures with other chunks', () => {
    const extended = riffFile(chunk('VP8X', Array<number>(10).fill(0)), chunk('VP8 ', [7, 7]));
    const [, , { data } = { data: [] }] = chunksOf(
      animate({ width: 8, height: 8 }, [{ ...frame, webp: extended }]),
    );
    assert.deepEqual(data.slice(16), [...Buffer.from('VP8 '), 2, 0, 0, 0, 7, 7]);
  });

  it('refuses data without pixels', () => {
    const empty = { ...frame, webp: riffFile() };
    assert.throws(() => animate({ width: 8, height: 8 }, [empty]), /must be a picture in WebP/);
  });
});

function still(name: string, data: readonly number[]): Uint8Array {
  return riffFile(chunk(name, data));
}

function riffFile(...chunks: readonly Buffer[]): Buffer {
  return chunk('RIFF', [...Buffer.from('WEBP'), ...Buffer.concat(chunks)]);
}

function chunk(name: string, data: readonly number[]): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  const padding = Buffer.alloc(data.length % 2);
  return Buffer.concat([Buffer.from(name), size, Buffer.from(data), padding]);
}

function chunksOf(file: Uint8Array): readonly { name: string; data: readonly number[] }[] {
  const bytes = Buffer.from(file);
  const chunks = [];
  for (let start = 12; start < bytes.length;) {
    const size = bytes.readUInt32LE(start + 4);
    const data = [...bytes.subarray(start + 8, start + 8 + size)];
    chunks.push({ name: bytes.toString('latin1', start, start + 4), data });
    start += 8 + size + (size % 2);
  }
  return chunks;
}
