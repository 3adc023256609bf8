/** Headers of images of each format, which is as much as is parsed. */
import type { Attachment } from '../../src/core/conversation/conversation.ts';
import { base64Of, imageUrl, type ImageHeader } from '../../src/core/support/image.ts';

const ascii = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));
const big = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.floor(value / 256 ** (count - 1 - index)) % 256);
const little = (value: number, count: number): number[] => big(value, count).reverse();

/** First bytes of images, by encoding. */
export const imageBytes = {
  png: (width: number, height: number): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([
      ...[0x89, ...ascii('PNG\r\n\x1a\n'), ...big(13, 4), ...ascii('IHDR')],
      ...[...big(width, 4), ...big(height, 4), 8, 6, 0, 0, 0],
    ]),
  gif: (width: number, height: number): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([...ascii('GIF89a'), ...little(width, 2), ...little(height, 2), 0, 0, 0]),
  lossyWebp: (width: number, height: number): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([
      ...[...ascii('RIFF'), ...little(99, 4), ...ascii('WEBPVP8 '), ...little(80, 4)],
      ...[0, 0, 0, 0x9d, 1, 0x2a, ...little(width, 2), ...little(height, 2)],
    ]),
  losslessWebp: (width: number, height: number): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([
      ...[...ascii('RIFF'), ...little(99, 4), ...ascii('WEBPVP8L'), ...little(80, 4), 0x2f],
      ...little(width - 1 + (height - 1) * 0x4000, 4),
    ]),
  extendedWebp: (width: number, height: number): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([
      ...[...ascii('RIFF'), ...little(99, 4), ...ascii('WEBPVP8X'), ...little(10, 4), 0, 0, 0, 0],
      ...[...little(width - 1, 3), ...little(height - 1, 3)],
    ]),
  jpeg: (width: number, height: number, metadata = 20): Uint8Array<ArrayBuffer> =>
    Uint8Array.from([
      ...[0xff, 0xd8, 0xff, 0xe1, ...big(metadata + 2, 2), ...new Uint8Array(metadata)],
      ...[0xff, 0xc4, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8],
      ...[...big(height, 2), ...big(width, 2), 3],
    ]),
};

/** An attached image whose hash consists of one digit. */
export function imageAttachment(digit: string, more: Partial<Attachment> = {}): Attachment {
  const image = { type: 'image/png', width: 300, height: 200, size: 29, hash: digit.repeat(64) };
  return {
    id: `image-${digit}`,
    kind: 'image',
    name: `${digit}.png`,
    path: '',
    language: '',
    text: '',
    image: { ...image, type: 'image/png' },
    ...more,
  };
}

/** URL of an image in a request. */
export function urlOf({ type }: Pick<ImageHeader, 'type'>, bytes: Uint8Array): string {
  return imageUrl(type, base64Of(bytes));
}
