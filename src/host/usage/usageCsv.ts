/** The usage log as CSV, a line for each request, for spreadsheets. */
import { knownCost } from '../../core/conversation/usage.ts';
import type { StoredUsage } from './usageRecord.ts';

type Cell = string | number | undefined;

const columns: readonly (readonly [name: string, value: (request: StoredUsage) => Cell])[] = [
  ['time', ({ at }) => timeOf(at)],
  ['day', ({ day }) => day],
  ['service', ({ service }) => service],
  ['model', ({ model }) => model],
  ['workspace', ({ workspace }) => workspace],
  ['chat', ({ chat }) => chat],
  ['turn', ({ turn }) => turn],
  ['purpose', ({ purpose }) => purpose],
  ['prompt_tokens', ({ usage }) => usage.prompt_tokens],
  ['cached_tokens', ({ usage }) => usage.cached_tokens],
  ['cache_write_tokens', ({ usage }) => usage.written_tokens ?? 0],
  ['completion_tokens', ({ usage }) => usage.completion_tokens],
  ['reasoning_tokens', ({ usage }) => usage.reasoning_tokens ?? 0],
  ['retried_tokens', ({ usage }) => usage.retried_tokens ?? 0],
  ['total_tokens', ({ usage }) => usage.total_tokens],
  ['requests', ({ usage }) => usage.requests],
  ['estimated', ({ usage }) => String(usage.estimated)],
  ['input_price_per_million', ({ price }) => price?.input],
  ['cached_input_price_per_million', ({ price }) => price && (price.cachedInput ?? price.input)],
  ['output_price_per_million', ({ price }) => price?.output],
  ['currency', ({ price }) => price?.currency],
  ['cost', ({ usage, price }) => knownCost(usage, price)],
  ['billed_usd', ({ usage }) => usage.billed],
  ['duration_ms', ({ duration }) => duration],
  ['outcome', ({ state, outcome }) => (state === 'sent' ? 'open' : outcome)],
  ['tokens_over_reserve', ({ overrun }) => overrun],
  ['demo', ({ demo }) => String(demo)],
];

/** A heading and a line for each request. The byte order mark identifies UTF-8 for spreadsheets. */
export function usageCsv(requests: readonly StoredUsage[]): string {
  const heading = columns.map(([name]) => name);
  const lines = requests.map((request) => columns.map(([, value]) => csvField(value(request))));
  return `\ufeff${[heading, ...lines].map((fields) => `${fields.join()}\r\n`).join('')}`;
}

/**
 * A field that a spreadsheet shows unchanged. Text that would run as a formula is prefixed with
 * `'`, since names of models come from the service.
 */
function csvField(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return plainNumber(value);
  const harmless = /^[\s\p{C}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
  return /[",;\r\n\t]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Formats a number without an exponent, which not every program supports. */
function plainNumber(value: number): string {
  const text = String(value);
  return /e/.test(text) ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}

/** A time in ISO 8601; empty if it isn't a time. */
function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
