import { addUsage, knownCost, type Usage } from '../../core/conversation/usage.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { KeptFiles } from '../platform/keptFiles.ts';
import { addCauses, currencyOf, noCauses, type Causes } from './usageCauses.ts';
import { isInterrupted, readProgress, readUsageRecord, type UsageRecord } from './usageRecord.ts';

export type UsageFiles = Pick<KeptFiles, 'names' | 'read' | 'readOn' | 'append' | 'remove'>;

/** Files of a month; version 1.0 had one per day where there is no disk, as there still is. */
const logFile = /^(\d{4}-\d{2})(?:-\d{2})?\.jsonl$/;

/** The month of a log file, for example `2030-01`; undefined for other files. */
export function monthOfFile(name: string): string | undefined {
  return logFile.exec(name)?.[1];
}

/** The day of a daily file; undefined for a monthly one. */
export function dayOfFile(name: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}(?=\.)/.exec(name)?.[0];
}

/** The usage of all requests of a day that have the same service, model, chat, and so on. */
export interface UsageSum {
  readonly day: string;
  readonly service: string;
  readonly model: string;
  readonly workspace: string;
  readonly chat: string;
  readonly purpose: string;
  readonly demo: boolean;
  /** The currency of the cost; empty if no price was known. */
  readonly currency: string;
  usage: Usage;
  /** In units of the currency, as it was when each request ended. */
  cost: number;
  readonly causes: Causes;
}

/** The sum of a single request. */
export function sumOf(record: UsageRecord): UsageSum {
  const { day, service, model, workspace, chat, purpose, demo, usage } = record;
  const key = { day, service, model, workspace, chat, purpose, demo };
  const sum = { ...key, currency: currencyOf(record), usage, cost: 0, causes: noCauses() };
  addCosts(sum, record);
  return sum;
}

function addCosts(sum: UsageSum, record: UsageRecord): void {
  sum.cost += knownCost(record.usage, record.price) ?? 0;
  addCauses(sum.causes, record);
}

/** A request without a `used` line. */
export interface OpenRequest {
  readonly record: UsageRecord;
  /** Tokens of the reply in the line before the last one; undefined if there is only one. */
  readonly before: number | undefined;
  /** Milliseconds since its last line. */
  readonly silence: number;
}

/** Lines of a request that has not ended. They are parsed only if somebody asks. */
interface OpenLines {
  sent: string;
  running: readonly string[];
  day: string | undefined;
  read: ReadingTime;
}

interface ReadingTime {
  readonly wall: number;
  readonly monotonic: number;
}

/** Bytes that are read at once, whose lines are added up within a few milliseconds. */
const bytesAtOnce = 400_000;

/** The beginning of each line, which the id follows. */
const idStart = '{"id":"';

/** A month of the log, with the sums of the lines read so far. */
export class UsageMonth {
  readonly #files: UsageFiles;
  readonly #month: string;
  readonly #clock: Clock;
  readonly #sums = new Map<string, UsageSum>();
  readonly #open = new Map<string, OpenLines>();
  /** Requests that version 1.0 ended for another window. */
  readonly #interrupted = new Map<string, UsageRecord>();
  readonly #ended = new Set<string>();
  /** The read part of each file. */
  readonly #ends = new Map<string, string>();

  constructor(files: UsageFiles, month: string, clock: Clock) {
    this.#files = files;
    this.#month = month;
    this.#clock = clock;
  }

  /** Sums of requests that have ended, including the demo's. */
  get sums(): readonly UsageSum[] {
    return [...this.#sums.values(), ...[...this.#interrupted.values()].map(sumOf)];
  }

  get open(): readonly OpenRequest[] {
    const now = this.#clock.monotonic();
    return [...this.#open.values()].flatMap(({ sent, running, day, read }) => {
      const record = readUsageRecord(sent, day);
      if (record === undefined) return [];
      const [last, before] = running
        .map(readProgress)
        .filter((line) => line !== undefined)
        .reverse();
      // A line from the future was written before the clock was set back.
      const age = Math.max(0, read.wall - (last?.time ?? record.at));
      return {
        record: last === undefined ? record : { ...record, usage: last.usage },
        before: last && (before ?? record).usage.completion_tokens,
        silence: age + now - read.monotonic,
      };
    });
  }

  hasEnded(id: string): boolean {
    return this.#ended.has(id);
  }

  /**
   * Reads new lines; true if there were any.
   *
   * @param onSent called with the id of a `sent` line before it counts
   */
  async read(names: readonly string[], onSent?: (id: string) => void): Promise<boolean> {
    const files = names.filter((name) => monthOfFile(name) === this.#month);
    if ([...this.#ends.keys()].some((file) => !files.includes(file))) this.#reset();
    let isChanged = false;
    for (const file of files) {
      const day = dayOfFile(file);
      const from = this.#ends.get(file);
      let part = await this.#files.readOn(file, from, bytesAtOnce);
      if (from !== undefined && part?.isStart === true) {
        // Another file has the name now.
        this.#reset();
        return this.read(names, onSent);
      }
      while (part !== undefined) {
        // While some lines are added up, the next ones are read, and other work gets a turn.
        const next = part.isWhole ? undefined : this.#files.readOn(file, part.end, bytesAtOnce);
        const read = { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() };
        for (const line of part.text.split('\n'))
          if (line !== '') {
            this.#take(line, day, read, onSent);
            isChanged = true;
          }
        this.#ends.set(file, part.end);
        part = await next;
      }
    }
    return isChanged;
  }

  #reset(): void {
    for (const map of [this.#sums, this.#open, this.#interrupted, this.#ended, this.#ends])
      map.clear();
  }

  #take(
    line: string,
    day: string | undefined,
    read: ReadingTime,
    onSent: ((id: string) => void) | undefined,
  ): void {
    // Id and state come first, so that most lines need not be parsed.
    const id = idOf(line);
    const after = idStart.length + id.length + 1;
    if (line.startsWith(',"state":"sent"', after)) {
      onSent?.(id);
      // Version 1.0 repeats the line while the request runs.
      const before = this.#open.get(id);
      if (before !== undefined) Object.assign(before, { sent: line, read });
      else this.#open.set(id, { sent: line, running: [], day, read });
      return;
    }
    if (line.startsWith(',"state":"running"', after)) {
      const open = this.#open.get(id);
      if (open === undefined) return;
      open.running = [...open.running.slice(-1), line];
      open.read = read;
      return;
    }
    const record = readUsageRecord(line, day);
    if (record === undefined) return;
    const wasOpen = this.#open.delete(record.id);
    const wasInterrupted = this.#interrupted.size > 0 && this.#interrupted.delete(record.id);
    // A line is written again if it isn't certain that it was written.
    if (!wasOpen && !wasInterrupted && this.#ended.has(record.id)) return;
    if (isInterrupted(record)) this.#interrupted.set(record.id, record);
    else {
      this.#ended.add(record.id);
      if (record.usage.requests > 0) this.#add(record);
    }
  }

  #add(record: UsageRecord): void {
    const { day, service, model, workspace, chat, purpose, demo } = record;
    const currency = currencyOf(record);
    // Names may contain any character, so their lengths say where each ends.
    const lengths = `${service.length} ${workspace.length} ${chat.length} ${purpose.length}`;
    const names = `${service}${workspace}${chat}${purpose}${currency}`;
    const key = `${day} ${demo ? 1 : 0} ${lengths} ${currency.length} ${names}${model}`;
    const known = this.#sums.get(key);
    if (known === undefined) this.#sums.set(key, sumOf(record));
    else {
      known.usage = addUsage(known.usage, record.usage);
      addCosts(known, record);
    }
  }
}

/** The lines of a log file, some thousands at a time. */
export async function* linesOf(
  files: UsageFiles,
  name: string,
): AsyncGenerator<readonly string[], void> {
  let part = await files.readOn(name, undefined, bytesAtOnce);
  while (part !== undefined) {
    yield part.text.split('\n').filter((line) => line !== '');
    part = part.isWhole ? undefined : await files.readOn(name, part.end, bytesAtOnce);
  }
}

/** The id in a line; empty if it doesn't begin with one. */
export function idOf(line: string): string {
  const end = line.indexOf('"', idStart.length);
  return line.startsWith(idStart) ? line.slice(idStart.length, end) : '';
}
