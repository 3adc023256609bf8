import { isObject, writeJson, type JsonObject } from '../support/json.ts';

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

/** Maximum characters of the traced fields of a reply. */
const maxTraceLength = 1_000_000;

/** Maximum nesting of traced fields. */
const maxTraceLevels = 20;

type Fields = Record<string, unknown>;

/**
 * Joins the traced fields of fragments. Fields that are too long or nested too deep are left out as
 * a whole: a service refuses a part of a signature.
 */
export class ReplyTrace {
  /** All objects and lists in it are created here, so they can grow. */
  readonly #fields: Fields = {};
  /** Positions of the entries of a list, by their index and type. */
  readonly #positions = new WeakMap<readonly unknown[], Map<string, number>>();
  #length = 0;
  #isEmpty = true;

  add(fragment: JsonObject): void {
    const next = traceIn(fragment);
    if (next === undefined || this.#length > maxTraceLength) return;
    this.#isEmpty = false;
    this.#mergeFields(this.#fields, next, 0);
  }

  /** The joined fields. Undefined if there are none, or too many. */
  get value(): JsonObject | undefined {
    return this.#isEmpty || this.#length > maxTraceLength ? undefined : this.#fields;
  }

  #mergeFields(fields: Fields, next: JsonObject, level: number): void {
    for (const [name, value] of Object.entries(next))
      if (name !== '__proto__') fields[name] = this.#merge(name, fields[name], value, level);
  }

  #merge(name: string, before: unknown, next: unknown, level: number): unknown {
    if (next === null) return before ?? null;
    if (level > maxTraceLevels) {
      this.#length = Infinity;
      return before;
    }
    // What is repeated takes no room.
    if (before === undefined) this.#length += name.length + 2;
    if (Array.isArray(next)) {
      const list: unknown[] = Array.isArray(before) ? before : [];
      for (const entry of next) this.#addEntry(list, entry, level + 1);
      return list;
    }
    if (isObject(next)) {
      const fields: Fields = isFields(before) ? before : {};
      this.#mergeFields(fields, next, level + 1);
      return fields;
    }
    if (before === next && !texts.has(name)) return before;
    if (typeof next !== 'string') return next;
    this.#length += next.length;
    const isJoined = typeof before === 'string' && (texts.has(name) || opaque.has(name));
    return isJoined ? before + next : next;
  }

  /**
   * Adds an entry to the one with its index and type, or without an index to the last, if that is
   * open.
   */
  #addEntry(entries: unknown[], next: unknown, level: number): void {
    if (!isObject(next)) {
      entries.push(this.#merge('', undefined, next, level));
      return;
    }
    const positions = this.#positions.get(entries) ?? new Map<string, number>();
    this.#positions.set(entries, positions);
    const key = writeJson([next['index'], next['type']]);
    const index = positions.get(key);
    const before = index === undefined ? undefined : entries[index];
    const isSame =
      next['index'] !== undefined || (index === entries.length - 1 && !isClosed(before));
    if (index !== undefined && isObject(before) && isSame) {
      entries[index] = this.#merge('', before, next, level);
    } else {
      positions.set(key, entries.length);
      entries.push(this.#merge('', undefined, next, level));
    }
  }
}

function isFields(value: unknown): value is Fields {
  return isObject(value);
}

/** True if an entry has the opaque value that ends it. */
function isClosed(entry: unknown): boolean {
  return isObject(entry) && Object.keys(entry).some((name) => opaque.has(name) && entry[name]);
}
