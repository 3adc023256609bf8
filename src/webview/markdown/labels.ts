import { normalizeLabel } from './parser.ts';

const bracketed = /\[((?:[^[\]\\]|\\.)+)\]/gs;
/** What a quote puts before its lines. */
const lineStart = /\n[ \t>]*/g;

/** All that the definition of a link may be meant by in a text, as the parser compares labels. */
export function labelsOf(text: string): ReadonlySet<string> {
  const found = text.replaceAll(lineStart, '\n').matchAll(bracketed);
  return new Set(Array.from(found, ([, label = '']) => normalizeLabel(label)));
}
