import type { Span } from '../edits/hunk.ts';
import { indentOf } from '../edits/whiteSpace.ts';
import { declarationOf, type Declaration } from './declaration.ts';

/** The lines of a document, found by what stands in them, in spite of other white space. */
export class DocumentLines {
  readonly lines: readonly string[];
  readonly #places = new Map<string, number[]>();
  readonly #declared = new Map<string, number[]>();

  constructor(document: string) {
    this.lines = document.split('\n').map((line) => line.replace(/\r$/, ''));
    for (const [index, line] of this.lines.entries()) {
      pushTo(this.#places, squeezed(line), index);
      const declaration = declarationOf(line);
      if (declaration !== undefined) pushTo(this.#declared, keyOf(declaration), index);
    }
  }

  get whole(): Span {
    return { start: 0, end: this.lines.length };
  }

  /** The only line, within a part of the document, that reads like this. */
  only(line: string, within: Span): number | undefined {
    return single(this.#within(this.#places.get(squeezed(line)), within));
  }

  /** The only line that declares the same; of several, the only one that reads the same too. */
  onlyDeclaration(line: string, within: Span): number | undefined {
    const declaration = declarationOf(line);
    if (declaration === undefined) return undefined;
    const found = this.#within(this.#declared.get(keyOf(declaration)), within);
    return found.length > 1 ? this.only(line, within) : single(found);
  }

  /** Whether lines read like those from a place on. */
  reads(lines: readonly string[], start: number): boolean {
    return lines.every(
      (line, index) => squeezed(line) === squeezed(this.lines[start + index] ?? ''),
    );
  }

  /** What part of the lines, from none (0) to all (1), stands among these as well. */
  share({ start, end }: Span, others: readonly string[]): number {
    const known = new Set(others.map(squeezed));
    const own = this.lines
      .slice(start, end)
      .map(squeezed)
      .filter((line) => line !== '');
    return own.filter((line) => known.has(line)).length / Math.max(1, own.length);
  }

  /** One level of indentation in the document: a tab, else the fewest spaces that a line has. */
  get unit(): string {
    const indents = this.lines.map(indentOf).filter((indent) => indent !== '');
    if (indents.some((indent) => indent.startsWith('\t'))) return '\t';
    const widths = indents.map((indent) => indent.length).filter((width) => width > 1);
    return ' '.repeat(widths.reduce((least, width) => Math.min(least, width), 8));
  }

  #within(places: readonly number[] = [], { start, end }: Span): readonly number[] {
    return places.filter((place) => place >= start && place < end);
  }
}

function keyOf({ kind, name }: Declaration): string {
  return `${kind} ${name}`;
}

function squeezed(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

function single(places: readonly number[]): number | undefined {
  return places.length === 1 ? places[0] : undefined;
}

function pushTo(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
