import { isObject, type JsonObject } from '../support/json.ts';

/**
 * Fields beyond the interface that a service may want back as they came: reasoning, and opaque
 * values such as signatures.
 */
const tracedFields = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking_blocks',
  'extra_content',
  'signature',
  'thought_signature',
  'encrypted_content',
];

/** Strings that are sent in pieces. Others, such as a type, are repeated with each piece. */
const texts = new Set(['reasoning_content', 'reasoning', 'text', 'summary', 'thinking']);
/** Opaque strings, in pieces or repeated. */
const opaque = new Set(['signature', 'thought_signature', 'encrypted_content', 'data']);

/** The traced fields of a message or a call; only their names were checked. */
export function traceIn(fields: JsonObject): JsonObject | undefined {
  const entries = tracedFields.flatMap((name) => {
    const value = fields[name];
    return value === undefined || value === null || value === '' ? [] : [[name, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Adds the fields of a fragment to those before it. */
export function mergeTrace(
  before: JsonObject | undefined,
  fragment: JsonObject,
): JsonObject | undefined {
  const next = traceIn(fragment);
  return before === undefined || next === undefined ? (next ?? before) : mergeFields(before, next);
}

function mergeFields(before: JsonObject, next: JsonObject): JsonObject {
  const merged = Object.entries(next).map(
    ([name, value]) => [name, mergeValue(name, before[name], value)] as const,
  );
  return { ...before, ...Object.fromEntries(merged) };
}

function mergeValue(name: string, before: unknown, next: unknown): unknown {
  if (before === undefined || before === null) return next;
  if (next === null) return before;
  if (typeof before === 'string' && typeof next === 'string') {
    if (texts.has(name) || (opaque.has(name) && before !== next)) return before + next;
    return next;
  }
  if (Array.isArray(before) && Array.isArray(next)) return next.reduce(addEntry, before);
  return isObject(before) && isObject(next) ? mergeFields(before, next) : next;
}

/** Adds an entry to the one with its index and type, or without an index to the last, if that is open. */
function addEntry(entries: readonly unknown[], next: unknown): readonly unknown[] {
  if (!isObject(next)) return [...entries, next];
  const index = entries.findLastIndex(
    (entry) =>
      isObject(entry) && entry['index'] === next['index'] && entry['type'] === next['type'],
  );
  const before = entries[index];
  const isSame = next['index'] !== undefined || (index === entries.length - 1 && !isClosed(before));
  return isObject(before) && isSame
    ? entries.with(index, mergeFields(before, next))
    : [...entries, next];
}

/** True if an entry has the opaque value that ends it. */
function isClosed(entry: unknown): boolean {
  return isObject(entry) && Object.keys(entry).some((name) => opaque.has(name) && entry[name]);
}
