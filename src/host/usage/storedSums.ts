/**
 * The sums of a month as they are kept beside its lines, so that these need not be read again. They
 * can be lost: what is missing, damaged or of another version is summed anew.
 */
import * as z from 'zod/mini';
import { parseJson } from '../../core/support/json.ts';
import { readUsageRecord, writeUsageRecord } from './usageRecord.ts';
import { UsageSums, type UsageSum } from './usageSums.ts';

/** Raised when the sums have another form, or sum up something else. */
const sumsVersion = 1;

/** Sums, and up to which place each file of lines is in them. */
export interface StoredSums {
  readonly sums: UsageSums;
  readonly places: ReadonlyMap<string, string>;
}

const content = z.object({
  places: z.array(z.tuple([z.string(), z.string()])),
  /** Each name once; the rows have their indexes. */
  names: z.array(z.string()),
  rows: z.array(z.array(z.number()).check(z.length(16))),
  /** The lines of requests without an end. */
  open: z.array(z.string()),
});
type Content = z.infer<typeof content>;

const stored = z.object({ version: z.literal(sumsVersion), check: z.number(), content });

export function writeSums({ sums, places }: StoredSums): string {
  const names = new Names();
  const written: Content = {
    rows: sums.sums.map((sum) => rowOf(sum, names)),
    places: [...places],
    names: names.all,
    open: sums.open.map(writeUsageRecord),
  };
  const check = writtenCheck(written);
  return JSON.stringify({ version: sumsVersion, check, content: written });
}

/** Undefined for a damaged text, and for one of another version. */
export function readSums(text: string): StoredSums | undefined {
  const { data } = stored.safeParse(parseJson(text));
  if (data === undefined) return undefined;
  const { names, places, rows, open } = data.content;
  if (writtenCheck({ rows, places, names, open }) !== data.check) return undefined;
  const sums = new UsageSums();
  for (const row of rows) sums.addSum(sumOfRow(row, names));
  for (const line of open) {
    const record = readUsageRecord(line);
    if (record !== undefined) sums.add(record);
  }
  return { sums, places: new Map(places) };
}

/** The indexes of names. */
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
  const [prompt = 0, cached = 0, completion = 0, reasoning = 0, total = 0] = row.slice(8);
  const [requests = 0, estimated = 0, cost = 0] = row.slice(13);
  return {
    day: name(0),
    service: name(1),
    model: name(2),
    workspace: name(3),
    chat: name(4),
    purpose: name(5),
    currency: name(6),
    demo: row[7] === 1,
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: total,
      cached_tokens: cached,
      ...(reasoning > 0 && { reasoning_tokens: reasoning }),
      requests,
      estimated: estimated === 1,
    },
    cost,
  };
}

function writtenCheck(written: Content): number {
  return checksum(JSON.stringify(written));
}

/** FNV-1a, over UTF-16 units: enough to notice damage. */
function checksum(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
