/**
 * The sums of a month, stored next to its lines so that these aren't read again. They are only a
 * cache: sums that are missing, damaged or of another version are computed again.
 */
import { isObject, parseJson } from '../../core/support/json.ts';
import { readUsageRecord, writeUsageRecord } from './usageRecord.ts';
import { UsageSums, type UsageSum } from './usageSums.ts';

/** Must be increased when the format or the meaning of the sums changes. */
const sumsVersion = 1;

/** Sums, with the position in each file up to which they count. */
export interface StoredSums {
  readonly sums: UsageSums;
  readonly places: ReadonlyMap<string, string>;
}

/** The stored content. Its checksum makes validating its many rows unnecessary. */
interface Content {
  readonly places: readonly (readonly [file: string, place: string])[];
  /** Distinct names; rows contain their indexes. */
  readonly names: readonly string[];
  readonly rows: readonly (readonly number[])[];
  /** Lines of requests whose own window has not logged an end. */
  readonly open: readonly string[];
}

export function writeSums({ sums, places }: StoredSums): string {
  const names = new Names();
  const rows = sums.ofSettled.map((sum) => rowOf(sum, names));
  const open = sums.unsettled.map(writeUsageRecord);
  const content: Content = { rows, places: [...places], names: names.all, open };
  const text = JSON.stringify(content);
  return `${headOf(text)}${text}}`;
}

/** Parses sums; undefined if they are damaged or of another version. */
export function readSums(text: string): StoredSums | undefined {
  const start = text.indexOf('{', 1);
  const written = text.slice(start, -1);
  if (start < 0 || text.slice(0, start) !== headOf(written) || !text.endsWith('}'))
    return undefined;
  const content = parseJson(written);
  if (!isContent(content)) return undefined;
  const { names, places, rows, open } = content;
  const sums = new UsageSums();
  for (const row of rows) sums.addSum(sumOfRow(row, names));
  for (const line of open) {
    const record = readUsageRecord(line);
    if (record !== undefined) sums.addUnsettled(record);
  }
  return { sums, places: new Map(places) };
}

/** The text before the content. With a closing brace at the end, the file is one JSON object. */
function headOf(content: string): string {
  return `{"version":${sumsVersion},"check":${checksum(content)},"content":`;
}

function isContent(value: unknown): value is Content {
  if (!isObject(value)) return false;
  return ['places', 'names', 'rows', 'open'].every((field) => Array.isArray(value[field]));
}

class Names {
  readonly #indexes = new Map<string, number>();

  get all(): string[] {
    return [...this.#indexes.keys()];
  }

  indexOf(name: string): number {
    const index = this.#indexes.get(name) ?? this.#indexes.size;
    this.#indexes.set(name, index);
    return index;
  }
}

function rowOf({ usage, ...sum }: UsageSum, names: Names): number[] {
  const { day, service, model, workspace, chat, purpose, currency } = sum;
  return [
    ...[day, service, model, workspace, chat, purpose, currency].map((name) => names.indexOf(name)),
    Number(sum.demo),
    usage.prompt_tokens,
    usage.cached_tokens,
    usage.completion_tokens,
    usage.reasoning_tokens ?? 0,
    usage.total_tokens,
    usage.requests,
    Number(usage.estimated),
    sum.cost,
  ];
}

function sumOfRow(row: readonly number[], names: readonly string[]): UsageSum {
  const name = (column: number): string => names[row[column] ?? -1] ?? '';
  const count = (column: number): number => row[column] ?? 0;
  const reasoning = count(11);
  return {
    day: name(0),
    service: name(1),
    model: name(2),
    workspace: name(3),
    chat: name(4),
    purpose: name(5),
    currency: name(6),
    demo: count(7) === 1,
    usage: {
      prompt_tokens: count(8),
      completion_tokens: count(10),
      total_tokens: count(12),
      cached_tokens: count(9),
      ...(reasoning > 0 && { reasoning_tokens: reasoning }),
      requests: count(13),
      estimated: count(14) === 1,
    },
    cost: count(15),
  };
}

/** FNV-1a over UTF-16 units, sufficient to detect damage. */
function checksum(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
