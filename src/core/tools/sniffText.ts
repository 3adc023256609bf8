/** How many bytes tell whether a file is text. */
const sniffed = 8000;

/** Whether the bytes look like text, and whether they are UTF-8. */
export type Content = 'utf-8' | 'other-text' | 'binary';

/**
 * Tells text from the rest: what has a byte order mark is text, and what has a NUL is none, but for
 * UTF-16 without a mark, which has them on one side only.
 */
export function sniffContent(bytes: Uint8Array): Content {
  const start = bytes.subarray(0, sniffed);
  if (hasMark(start, 0xff, 0xfe) || hasMark(start, 0xfe, 0xff)) return 'other-text';
  if (start.includes(0)) return looksLikeUtf16(start) ? 'other-text' : 'binary';
  if (isUtf8(bytes)) return 'utf-8';
  return mostlyControls(start) ? 'binary' : 'other-text';
}

/** A text without its byte order mark, which belongs to the file and not to its first line. */
export function withoutMark(text: string): string {
  return text.startsWith('\u{feff}') ? text.slice(1) : text;
}

function hasMark(bytes: Uint8Array, ...mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

/** Zeros in most of the even places, or most of the odd, and in none of the others. */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  const even = bytes.filter((_, index) => index % 2 === 0);
  const odd = bytes.filter((_, index) => index % 2 === 1);
  return isHighHalf(even, odd) || isHighHalf(odd, even);
}

function isHighHalf(high: Uint8Array, low: Uint8Array): boolean {
  const zeros = high.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0);
  return zeros > high.length * 0.7 && !low.includes(0) && !mostlyControls(low);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Letters of other encodings are above; control characters are those of pictures and archives. */
function mostlyControls(bytes: Uint8Array): boolean {
  const controls = bytes.reduce((sum, byte) => sum + (isControl(byte) ? 1 : 0), 0);
  return controls > bytes.length / 20;
}

function isControl(byte: number): boolean {
  return byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27;
}
