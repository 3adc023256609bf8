import type { FoundLine } from '../../core/tools/fileSearch.ts';

/**
 * Cuts what comes in pieces into parts that end with `end`. A part of more than a million
 * characters is dropped: no path and no line that ripgrep shortened is that long.
 */
export class PartReader {
  readonly #end: string;
  readonly #take: (part: string) => boolean;
  #open = '';

  /** @param take may say false, which ends the reading */
  constructor(end: string, take: (part: string) => boolean) {
    this.#end = end;
    this.#take = take;
  }

  /** Whether to go on. */
  read(text: string): boolean {
    const all = this.#open + text;
    let start = 0;
    for (let end = all.indexOf(this.#end); end >= 0; end = all.indexOf(this.#end, start)) {
      if (!this.#take(all.slice(start, end))) return false;
      start = end + this.#end.length;
    }
    this.#open = all.length - start > 1_000_000 ? '' : all.slice(start);
    return true;
  }

  /** Takes what stands behind the last end. */
  finish(): void {
    if (this.#open !== '') this.#take(this.#open);
    this.#open = '';
  }
}

/** A line of ripgrep's, by `searchArguments`; undefined for one that tells no line of a file. */
export function readFoundLine(written: string): FoundLine | undefined {
  const end = written.indexOf('\0');
  if (end < 0) return undefined;
  let position = end + 1;
  while (isDigit(written.charCodeAt(position))) position++;
  const mark = written.charAt(position);
  if (position === end + 1 || (mark !== ':' && mark !== '-')) return undefined;
  const text = written.slice(position + 1);
  return {
    path: withoutDot(written.slice(0, end)),
    line: Number(written.slice(end + 1, position)),
    text: text.endsWith('\r') ? text.slice(0, -1) : text,
    fits: mark === ':',
  };
}

/** Paths begin with what ripgrep was given, and have the separators of the system. */
export function withoutDot(path: string, separator: '/' | '\\' = '/'): string {
  const plain = separator === '/' ? path : path.replaceAll(separator, '/');
  return plain.startsWith('./') ? plain.slice(2) : plain;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
