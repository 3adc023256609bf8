import type { KeptFiles } from '../keptFiles.ts';
import { readSums, writeSums } from './storedSums.ts';
import { readUsageRecord, type StoredUsage } from './usageRecord.ts';
import { UsageSums } from './usageSums.ts';

export type UsageFiles = Pick<
  KeptFiles,
  'names' | 'read' | 'readOn' | 'append' | 'write' | 'remove'
>;

/** Files of a month; earlier versions had one per day. */
const logFile = /^(\d{4}-\d{2})(?:-\d{2})?\.jsonl$/;

/** The month of a log file, for example `2030-01`; undefined for other files. */
export function monthOfFile(name: string): string | undefined {
  return logFile.exec(name)?.[1];
}

export function sumsFile(month: string): string {
  return `${month}.sums.json`;
}

/** Lines after which the sums are saved again, which bounds the lines that are read twice. */
const linesPerSave = 500;

/** Lines that are summed without yielding, within a few milliseconds. */
const linesAtOnce = 2000;

interface UsageMonthOptions {
  readonly files: UsageFiles;
  readonly month: string;
  readonly onError: (what: string, error: unknown) => void;
}

export interface MonthReading {
  readonly names: readonly string[];
  /** The file to read after all others of the month. */
  readonly last?: string;
  /** The first day whose file may grow after it was read. */
  readonly since?: string;
  /** True if no more lines are expected, so that the sums are saved immediately. */
  readonly isOver: boolean;
  /** Called before a line is counted; returns false to skip it. */
  readonly onRecord?: ((record: StoredUsage) => boolean) | undefined;
}

/** A month of the log, with the sums of the lines read so far. */
export class UsageMonth {
  readonly #options: UsageMonthOptions;
  #sums = new UsageSums();
  #places = new Map<string, string>();
  readonly #read = new Set<string>();
  #isLoaded = false;
  #unsaved = 0;

  constructor(options: UsageMonthOptions) {
    this.#options = options;
  }

  get sums(): UsageSums {
    return this.#sums;
  }

  /** Reads new lines; true if there were any. */
  async read(reading: MonthReading): Promise<boolean> {
    const { names, last, isOver } = reading;
    const files = names.filter((name) => monthOfFile(name) === this.#options.month);
    const isFirst = !this.#isLoaded;
    if (isFirst) await this.#load(names);
    if ([...this.#places.keys()].some((file) => !files.includes(file))) this.#reset();
    let lineCount = 0;
    for (const file of files.toSorted((a, b) => Number(a === last) - Number(b === last))) {
      const lines = await this.#linesOf(file, reading);
      if (lines === undefined) return this.#readAgain(reading);
      lineCount += await readRecords(file, lines, (record) => {
        if (reading.onRecord?.(record) !== false) this.#sums.add(record);
      });
    }
    this.#unsaved += lineCount;
    if (this.#unsaved >= (isOver ? 1 : linesPerSave)) await this.#save();
    return isFirst || lineCount > 0;
  }

  /** Loads saved sums, of any window, if they match the files. */
  async #load(names: readonly string[]): Promise<void> {
    this.#isLoaded = true;
    const { files, month } = this.#options;
    const file = sumsFile(month);
    const text = names.includes(file) ? await files.read(file) : undefined;
    const saved = text === undefined ? undefined : readSums(text);
    if (saved === undefined) return;
    this.#sums = saved.sums;
    this.#places = new Map(saved.places);
  }

  /** New lines of a file; undefined if the file was replaced since the last read. */
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
    // The saved sums are out of date, even if no lines remain.
    this.#unsaved = 1;
  }

  /**
   * Saves the sums as a whole. Sums that another window saves at the same time are also correct.
   */
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
 * Reads lines of a file in slices, so that a long log doesn't block the extension host. Returns the
 * number of lines.
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

/** The day of a daily file; undefined for a monthly one. */
function dayOfFile(file: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}(?=\.)/.exec(file)?.[0];
}

function isFileBefore(file: string, day: string): boolean {
  const fileDay = dayOfFile(file);
  return fileDay !== undefined && fileDay < day;
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
