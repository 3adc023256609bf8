import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Maximum number of bytes of a file that is read whole. */
const maxBytes = 5_000_000;

/**
 * Doesn't follow a link at the end of a path, and doesn't wait at a pipe. Windows has neither flag.
 */
export const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The text of a searched file; undefined if it can't be read or is too large. */
export async function readSearchedFile(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, readOnly);
    const status = await file.stat();
    if (!status.isFile() || status.size > maxBytes) return undefined;
    const bytes = await file.readFile();
    return new TextDecoder(encodingOf(bytes)).decode(bytes);
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
