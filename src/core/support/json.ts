/** A JSON object whose fields are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined where the text is none. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** The value where it is a string with something in it. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The same value with the fields of all objects in one order: what says the same is written alike. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, sortKeys(field)] as const);
  return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Parses a JSON text whose end is missing: what was complete, and as much as came of a string that
 * was not. Undefined where that is nothing.
 */
export function parsePartialJson(text: string): unknown {
  const scan = scanJson(text);
  // An escape sequence may be cut as well.
  const ends = scan.inString ? [text.length, text.lastIndexOf('\\')] : [];
  const candidates = [
    ...ends.map((end) => `${text.slice(0, end)}"${scan.closing}`),
    // Nobody knows whether more digits would have followed.
    ...(/[\d.eE+-]$/.test(text) ? [] : [text + scan.closing]),
    text.slice(0, scan.lastWhole.end) + scan.lastWhole.closing,
  ];
  return candidates.map(parseJson).find((value) => value !== undefined);
}

interface Scan {
  readonly inString: boolean;
  /** The brackets that are open at the end, closed. */
  readonly closing: string;
  /** The last place after which nothing is half there. */
  readonly lastWhole: { readonly end: number; readonly closing: string };
}

function scanJson(text: string): Scan {
  let inString = false;
  let closing = '';
  let lastWhole = { end: 0, closing };
  for (const { 0: token, index } of text.matchAll(/\\.|["{}[\],]/gs)) {
    if (token === '"') inString = !inString;
    if (inString || token === '"' || token.length > 1) continue;
    if (token === '{' || token === '[') closing = (token === '{' ? '}' : ']') + closing;
    else if (token !== ',') closing = closing.slice(1);
    lastWhole = { end: token === ',' ? index : index + 1, closing };
  }
  return { inString, closing, lastWhole };
}
