/** A JSON object whose fields have not been validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: not null and not an array. */
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

/** The value if it is a non-empty string, otherwise undefined. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Sorts the fields of all nested objects by name, so that equal values have equal JSON. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => [key, sortKeys(field)] as const);
  return Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Parses truncated JSON: keeps everything that is complete, and the received part of a truncated
 * string. Undefined if nothing can be recovered.
 */
export function parsePartialJson(text: string): unknown {
  const scan = scanJson(text);
  // The text may also end in the middle of an escape sequence.
  const ends = scan.inString ? [text.length, text.lastIndexOf('\\')] : [];
  const candidates = [
    ...ends.map((end) => `${text.slice(0, end)}"${scan.closing}`),
    // More digits might have followed, so a number at the end is not complete.
    ...(/[\d.eE+-]$/.test(text) ? [] : [text + scan.closing]),
    text.slice(0, scan.lastComplete.end) + scan.lastComplete.closing,
  ];
  return candidates.map(parseJson).find((value) => value !== undefined);
}

interface Scan {
  readonly inString: boolean;
  /** Closing brackets for all brackets that are still open at the end. */
  readonly closing: string;
  /** The last position at which no value is incomplete, and the closing brackets needed there. */
  readonly lastComplete: { readonly end: number; readonly closing: string };
}

function scanJson(text: string): Scan {
  let inString = false;
  let closing = '';
  let lastComplete = { end: 0, closing };
  for (const { 0: token, index } of text.matchAll(/\\.|["{}[\],]/gs)) {
    if (token === '"') inString = !inString;
    if (inString || token === '"' || token.length > 1) continue;
    if (token === '{' || token === '[') closing = (token === '{' ? '}' : ']') + closing;
    else if (token !== ',') closing = closing.slice(1);
    lastComplete = { end: token === ',' ? index : index + 1, closing };
  }
  return { inString, closing, lastComplete };
}
