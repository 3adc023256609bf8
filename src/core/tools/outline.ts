/** A symbol of a file and what it holds. */
export interface OutlineSymbol {
  readonly name: string;
  /** `function`, `class` … */
  readonly kind: string;
  /** First and last line, counted from 1. */
  readonly start: number;
  readonly end: number;
  readonly children: readonly OutlineSymbol[];
}

/** Lines of an outline. */
const mostLines = 300;

/**
 * The symbols of a file as an indented list: `12-40 function name`. With a query only those whose
 * name has it, whatever its case, and those around them.
 */
export function renderOutline(symbols: readonly OutlineSymbol[], query = ''): string {
  const wanted = query.toLowerCase();
  const lines = symbols.flatMap((symbol) => linesOf(symbol, wanted, ''));
  if (lines.length <= mostLines) return lines.join('\n');
  const note = `(${lines.length - mostLines} more: give a query.)`;
  return [...lines.slice(0, mostLines), note].join('\n');
}

function linesOf(symbol: OutlineSymbol, wanted: string, indent: string): readonly string[] {
  const { name, kind, start, end, children } = symbol;
  const inner = children.flatMap((child) => linesOf(child, wanted, `${indent} `));
  if (inner.length === 0 && !name.toLowerCase().includes(wanted)) return [];
  const place = start === end ? String(start) : `${start}-${end}`;
  return [`${indent}${place} ${kind} ${name}`, ...inner];
}
