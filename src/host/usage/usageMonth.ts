import type { KeptFiles } from '../keptFiles.ts';
import { readSums, writeSums } from './storedSums.ts';
import { readUsageRecord, type StoredUsage } from './usageRecord.ts';
import { UsageSums } from './usageSums.ts';

/** The folder of the log, which all windows share. */
export type UsageFiles = Pick<
  KeptFiles,
  'names' | 'read' | 'readOn' | 'append' | 'write' | 'remove'
>;

/** The files of a month: earlier versions had one for each day. */
const logFile = /^(\d{4}-\d{2})(?:-\d{2})?\.jsonl$/;

/** The month of a file of lines, for example `2030-01`; undefined for any other file. */
export function monthOfFile(name: string): string | undefined {
  return logFile.exec(name)?.[1];
}

/** The file with the sums of a month. */
export function sumsFile(month: string): string {
  return `${month}.sums.json`;
}

/** Lines after which the sums are kept anew: so many are read again at most. */
const linesPerSave = 500;

/** Lines that are summed at once, which takes some milliseconds. */
const linesAtOnce = 2000;

interface UsageMonthOptions {
  readonly files: UsageFiles;
  /** For example `2030-01`. */
  readonly month: string;
  readonly onError: (what: string, error: unknown) => void;
}

export interface MonthReading {
  /** All names in the folder. */
  readonly names: readonly string[];
  /** The file that is read after the others of the month. */
  readonly last?: string;
  /** The first day whose own file is read on after it was read once. */
  readonly since?: string;
  /** Whether nothing more is expected, so that the sums are kept as they are. */
  readonly isOver: boolean;
  /** Called before a line is counted; with false it is not. */
  readonly onRecord?: ((record: StoredUsage) => boolean) | undefined;
}

/** A month of the log: the sums of its lines, as far as they were read. */
export class UsageMonth {
  readonly #options: UsageMonthOptions;
  #sums = new UsageSums();
  #places = new Map<string, string>();
  /** Files that were read in this window. */
  readonly #read = new Set<string>();
  #isLoaded = false;
  #unsaved = 0;

  constructor(options: UsageMonthOptions) {
    this.#options = options;
  }

  get sums(): UsageSums {
    return this.#sums;
  }

  /** Reads what is new; true if there was anything. */
  async read(reading: MonthReading): Promise<boolean> {
    const { names, last, isOver } = reading;
    const files = names.filter((name) => monthOfFile(name) === this.#options.month);
    const isFirst = !this.#isLoaded;
    if (isFirst) await this.#load(names);
    if ([...this.#places.keys()].some((file) => !files.includes(file))) this.#reset();
    let found = 0;
    for (const file of files.toSorted(
      (one, other) => Number(one === last) - Number(other === last),
    )) {
      const lines = await this.#linesOf(file, reading);
      if (lines === undefined) return this.#readAgain(reading);
      found += await readRecords(file, lines, (record) => {
        if (reading.onRecord?.(record) !== false) this.#sums.add(record);
      });
    }
    this.#unsaved += found;
    if (this.#unsaved >= (isOver ? 1 : linesPerSave)) await this.#save();
    return isFirst || found > 0;
  }

  /** The sums that some window kept, if they fit the files. */
  async #load(names: readonly string[]): Promise<void> {
    this.#isLoaded = true;
    const { files, month } = this.#options;
    const file = sumsFile(month);
    const text = names.includes(file) ? await files.read(file) : undefined;
    const kept = text === undefined ? undefined : readSums(text);
    if (kept === undefined) return;
    this.#sums = kept.sums;
    this.#places = new Map(kept.places);
  }

  /** Undefined where the file is not the one that was read before. */
  async #linesOf(file: string, { since }: MonthReading): Promise<string | undefined> {
    if (since !== undefined && this.#read.has(file) && isFileBefore(file, since)) return '';
    const from = this.#places.get(file);
    const part = await this.#options.files.readOn(file, from);
    if (from !== undefined && part?.isStart !== false) return undefined;
    this.#read.add(file);
    if (part === undefined || part.text === '') return '';
    this.#places.set(file, part.end);
    return part.text;
  }

  #readAgain(reading: MonthReading): Promise<boolean> {
    this.#reset();
    return this.read(reading);
  }

  #reset(): void {
    this.#sums = new UsageSums();
    this.#places.clear();
    this.#read.clear();
    // What is kept is out of date, even if nothing is left.
    this.#unsaved = 1;
  }

  /** As a whole: what another window keeps at the same time is right as well. */
  async #save(): Promise<void> {
    const { files, month, onError } = this.#options;
    this.#unsaved = 0;
    try {
      const text = writeSums({ sums: this.#sums, places: this.#places });
      await files.write(sumsFile(month), text);
    } catch (error) {
      onError('Keeping sums of the usage', error);
    }
  }
}

/**
 * Reads lines of a file in slices, so that a long log does not block what the person does. Returns
 * how many lines there are.
 */
export async function readRecords(
  file: string,
  text: string,
  onRecord: (record: StoredUsage) => void,
): Promise<number> {
  const lines = text.split('\n').filter((line) => line !== '');
  const day = dayOfFile(file);
  for (const [index, line] of lines.entries()) {
    if (index > 0 && index % linesAtOnce === 0) await turnOfOthers();
    const record = readUsageRecord(line, day);
    if (record !== undefined) onRecord(record);
  }
  return lines.length;
}

/** The day of a file that holds one; undefined for that of a month. */
function dayOfFile(file: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}(?=\.)/.exec(file)?.[0];
}

function isFileBefore(file: string, day: string): boolean {
  const own = dayOfFile(file);
  return own !== undefined && own < day;
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
