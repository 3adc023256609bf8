/** Formats of images that services take. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type ImageType = (typeof imageTypes)[number];

/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Format and size, as stated by an image's first bytes. */
export interface ImageHeader extends ImageSize {
  readonly type: ImageType;
}

/** The longest side, in pixels, that models process; they scale down larger images. */
export const longestSide = 1568;

/** Maximum number of bytes of an image that is sent. */
export const maxImageBytes = 5_000_000;
/** Maximum number of bytes of all images of one message. */
export const maxMessageImageBytes = 20_000_000;
/** Maximum number of images of one message. */
export const maxMessageImages = 10;

/** Maximum number of pixels: each takes four bytes of memory, however small the file is. */
const mostPixels = 64_000_000;

/**
 * Reads format and size of an image from its bytes, whatever it is named.
 * @returns undefined if the bytes are no image of these formats
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headers = [pngHeader, gifHeader, webpHeader, jpegHeader].map((read) => {
    try {
      return read(view);
    } catch (error) {
      // The bytes end within the header.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  });
  return headers.find((header) => {
    const { width = 0, height = 0 } = header ?? {};
    return width > 0 && height > 0 && width * height <= mostPixels;
  });
}

function pngHeader(view: DataView): ImageHeader | undefined {
  const isPng = view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a;
  if (!isPng || textAt(view, 12, 4) !== 'IHDR') return undefined;
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

function gifHeader(view: DataView): ImageHeader | undefined {
  if (!['GIF87a', 'GIF89a'].includes(textAt(view, 0, 6))) return undefined;
  return { type: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webpHeader(view: DataView): ImageHeader | undefined {
  if (textAt(view, 0, 4) !== 'RIFF' || textAt(view, 8, 4) !== 'WEBP') return undefined;
  const size = webpSize(view, textAt(view, 12, 4));
  return size && { type: 'image/webp', ...size };
}

/** The size from the first chunk: lossy, lossless or extended. */
function webpSize(view: DataView, chunk: string): ImageSize | undefined {
  if (chunk === 'VP8 ') {
    const side = (at: number): number => view.getUint16(at, true) % 0x4000;
    return { width: side(26), height: side(28) };
  }
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits % 0x4000) + 1, height: (Math.floor(bits / 0x4000) % 0x4000) + 1 };
  }
  const side = (at: number): number =>
    view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1;
  return chunk === 'VP8X' ? { width: side(24), height: side(27) } : undefined;
}

/** Reads the segments up to the one with the size, which precedes the image data. */
function jpegHeader(view: DataView): ImageHeader | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // Start of a frame of any coding; three markers of that range are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return { type: 'image/jpeg', width, height };
    }
    // The image data begins, or the file ends before it.
    if (marker === 0xda || marker === 0xd9) return undefined;
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function textAt(view: DataView, at: number, length: number): string {
  const codes = Array.from({ length }, (_, index) => view.getUint8(at + index));
  return String.fromCharCode(...codes);
}

/** Characters of base64 that contain the header; metadata may precede the size of a JPEG. */
const headLengths = [64, 400_000];

/**
 * The header of an image in base64.
 * @returns undefined if the text is not base64 of such an image
 */
export function readBase64Header(base64: string): ImageHeader | undefined {
  for (const length of headLengths) {
    const bytes = bytesOfBase64(base64.slice(0, length));
    const header = bytes && readImageHeader(bytes);
    if (header !== undefined) return header;
  }
  return undefined;
}

/** The bytes of a text in base64; undefined for other text. */
export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Bytes as text in base64. */
export function base64Of(bytes: Uint8Array): string {
  const step = 30_000;
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += step)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + step))));
  return parts.join('');
}

/** An image as the data URL that a service accepts. */
export function imageUrl(type: ImageType, base64: string): string {
  return `data:${type};base64,${base64}`;
}

/**
 * The size of the image in a data URL of {@link imageUrl}.
 * @returns undefined for any other address
 */
export function readImageUrl(url: string): ImageHeader | undefined {
  const start = /^data:(image\/[a-z]{1,10});base64,/.exec(url);
  const header = start && readBase64Header(url.slice(start[0].length, start[0].length + 400_000));
  return header && header.type === start[1] ? header : undefined;
}

/** A data URL with only the size of an image, for estimates. */
export function outlineUrl({ width, height }: ImageSize): string {
  const bytes = [width % 256, width >> 8, height % 256, height >> 8];
  return imageUrl('image/gif', btoa(`GIF89a${String.fromCharCode(...bytes)}`));
}

const pixelsPerToken = 750;
const fewestTokens = 85;
const mostTokens = 1600;

/**
 * Estimates the tokens of an image: one for 750 pixels, once its longest side is scaled to at most
 * 1,568; at least 85 and at most 1,600. Services count similarly, but not identically.
 */
export function imageTokens({ width, height }: ImageSize): number {
  const scale = Math.min(1, longestSide / Math.max(width, height));
  const tokens = Math.ceil((width * scale * (height * scale)) / pixelsPerToken);
  return Math.min(mostTokens, Math.max(fewestTokens, tokens));
}

/** Default characters per token for unknown models. */
const usualRatio = 4;

/** The number of characters with about as many tokens as an image, for sums of text and images. */
export function imageCharacters(size: ImageSize | undefined): number {
  return (size === undefined ? mostTokens : imageTokens(size)) * usualRatio;
}
