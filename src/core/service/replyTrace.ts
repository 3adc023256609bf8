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

/** Maximum characters of all traced fields of a reply, those of its calls included. */
const maxTraceLength = 1_000_000;

/** The room for the traces of one reply. Names, numbers and marks count, not only texts. */
export class TraceRoom {
  #left = maxTraceLength;

  get isFull(): boolean {
    return this.#left < 0;
  }

  take(characters: number): void {
    this.#left -= characters;
  }
}

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
  readonly #room: TraceRoom;
  #isEmpty = true;

  /** @param room shared by all traces of a reply: if it is full, none of them has a value */
  constructor(room = new TraceRoom()) {
    this.#room = room;
  }

  add(fragment: JsonObject): void {
    const next = traceIn(fragment);
    if (next === undefined || this.#room.isFull) return;
    this.#isEmpty = false;
    this.#mergeFields(this.#fields, next, 0);
  }

  /** The joined fields. Undefined if there are none, or too many. */
  get value(): JsonObject | undefined {
    return this.#isEmpty || this.#room.isFull ? undefined : this.#fields;
  }

  #mergeFields(fields: Fields, next: JsonObject, level: number): void {
    for (const [name, value] of Object.entries(next)) {
      if (this.#room.isFull) return;
      if (name !== '__proto__') fields[name] = this.#merge(name, fields[name], value, level);
    }
  }

  #merge(name: string, before: unknown, next: unknown, level: number): unknown {
    // What is repeated takes no room.
    if (before === undefined) this.#room.take(name.length + 2);
    if (next === null) {
      if (before === undefined) this.#room.take('null'.length);
      return before ?? null;
    }
    if (level > maxTraceLevels) {
      this.#room.take(Infinity);
      return before;
    }
    if (Array.isArray(next)) {
      const list: unknown[] = Array.isArray(before) ? before : [];
      for (const entry of next) {
        if (this.#room.isFull) break;
        this.#addEntry(list, entry, level + 1);
      }
      return list;
    }
    if (isObject(next)) {
      const fields: Fields = isFields(before) ? before : {};
      this.#mergeFields(fields, next, level + 1);
      return fields;
    }
    if (before === next && !texts.has(name)) return before;
    this.#room.take(typeof next === 'string' ? next.length : writeJson(next).length);
    if (typeof next !== 'string') return next;
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
