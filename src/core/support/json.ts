/** A JSON object whose fields have not been validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True if a value is a JSON object: not null and not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The value at a path of field names separated by dots; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce(
      (current, name) =>
        isObject(current) && Object.hasOwn(current, name) ? current[name] : undefined,
      value,
    );
}

/** The value if it is a non-empty string, otherwise undefined. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Sorts the fields of all nested objects by name, so that equal values have equal JSON. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, sortKeys(field)] as const);
  return Object.fromEntries(fields.toSorted(([first], [second]) => (first < second ? -1 : 1)));
}

/**
 * Serializes a value as JSON, or as `…` (not JSON) if it is nested too deeply: `JSON.stringify` is
 * recursive, `JSON.parse` is not.
 */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '…';
  }
}

/**
 * Parses truncated JSON: keeps everything that is complete, and the received part of a truncated
 * string. Undefined if nothing can be recovered, or if it is nested too deeply. Linear time.
 */
export function parsePartialJson(text: string): unknown {
  const scanner = new JsonScanner();
  scanner.add(text);
  const { closing, lastComplete } = scanner;
  if (closing.length > maxOpenBrackets) return undefined;
  // The text may also end in the middle of an escape sequence.
  const ends = scanner.inString ? [text.length, text.lastIndexOf('\\')] : [];
  const complete = text.slice(0, lastComplete);
  const completeScanner = new JsonScanner();
  completeScanner.add(complete);
  const candidates = [
    ...ends.map((end) => `${text.slice(0, end)}"${closing}`),
    // More digits might have followed, so a number at the end is not complete.
    ...(/[\d.eE+-]$/.test(text.slice(-1)) ? [] : [text + closing]),
    complete + completeScanner.closing,
  ];
  for (const candidate of candidates) {
    const value = parseJson(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Maximum number of open brackets; no message of a service has more. */
const maxOpenBrackets = 10_000;

const backslash = 0x5c;
const quote = 0x22;
const comma = 0x2c;

/** The closing bracket of each opening one, by character code. */
const closingBrackets: ReadonlyMap<number, string> = new Map([
  [0x7b, '}'],
  [0x5b, ']'],
]);

/** Follows the brackets and strings of a JSON text that arrives in pieces, without parsing it. */
export class JsonScanner {
  readonly #open: string[] = [];
  #length = 0;
  #inString = false;
  #escaped = false;
  #lastComplete = 0;

  /** True if the text ends inside a string. */
  get inString(): boolean {
    return this.#inString;
  }

  /** Closing brackets for all brackets that are still open. */
  get closing(): string {
    return this.#open.toReversed().join('');
  }

  /** Length of the text up to the last position at which no value is incomplete. */
  get lastComplete(): number {
    return this.#lastComplete;
  }

  /** True if brackets were opened, and all of them are closed. */
  get isClosed(): boolean {
    return this.#open.length === 0 && this.#lastComplete > 0 && !this.#inString;
  }

  add(text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (this.#escaped) this.#escaped = false;
      else if (code === backslash) this.#escaped = this.#inString;
      else if (code === quote) this.#inString = !this.#inString;
      else if (!this.#inString) {
        const closing = closingBrackets.get(code);
        if (closing !== undefined) this.#open.push(closing);
        else if (code === 0x7d || code === 0x5d) this.#open.pop();
        else if (code !== comma) continue;
        this.#lastComplete = this.#length + index + (code === comma ? 0 : 1);
      }
    }
    this.#length += text.length;
  }
}
