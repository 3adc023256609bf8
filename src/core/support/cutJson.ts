import { parseJson } from './json.ts';

/**
 * Parses a JSON text whose end is missing: what was complete, and as much as came of a string that
 * was not. Undefined where that is nothing.
 */
export function parseCutJson(text: string): unknown {
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
