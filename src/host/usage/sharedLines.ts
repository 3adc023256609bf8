import type { KeptFiles } from '../keptFiles.ts';

/** Lines that several windows append to the same place. Nothing is ever rewritten. */
export interface SharedLines {
  /** Appends a line as a whole, and resolves when it is stored. */
  append(line: string): Promise<void>;
  /**
   * The lines that any window has appended since the last call. Where there is no order between
   * windows, the own lines come last: whatever else is there counts as earlier.
   */
  next(): Promise<readonly string[]>;
}

/** The lines of a file. */
export function sharedLines(
  files: Pick<KeptFiles, 'append' | 'readOn'>,
  file: string,
): SharedLines {
  let end: string | undefined;
  return {
    append: (line) => files.append(file, `${line}\n`),
    async next() {
      const part = await files.readOn(file, end);
      end = part?.end;
      return part?.text.split('\n').filter((line) => line !== '') ?? [];
    },
  };
}
