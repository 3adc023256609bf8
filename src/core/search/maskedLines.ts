import {
  findSecretToken,
  looksLikeKeyLine,
  maskSecrets,
  withStandIns,
} from '../support/secretTokens.ts';
import type { FoundLine, TextQuery } from './fileSearch.ts';

/** Maximum number of lines that are held back until their files were looked at. */
const maxHeld = 10_000;

/** What {@link MaskedLines} needs. */
export interface MaskedLinesOptions {
  readonly query: TextQuery;
  /** Takes the lines as they may be shown; returns false to end the search. */
  readonly found: (line: FoundLine) => boolean;
  /** The whole text of a file; undefined where it cannot be read or is too long. */
  readonly textOf: (path: string) => Promise<string | undefined>;
  /** The indexes of the lines that the query matches, in which nothing matches `secretStandIn`. */
  readonly rematch: (lines: readonly string[]) => Promise<ReadonlySet<number>>;
}

/**
 * Masks secrets in the lines that a search found in files as they are. A line counts as found only
 * if it also matches without its secrets: else an expression could find them out, character by
 * character (threats: T44).
 */
export class MaskedLines {
  readonly #options: MaskedLinesOptions;
  readonly #held: FoundLine[][] = [];
  #heldCount = 0;
  #file: FoundLine[] = [];
  #isDoubtful = false;

  constructor(options: MaskedLinesOptions) {
    this.#options = options;
  }

  /** Takes a line of the search, those of a file together. Returns false to end the search. */
  add(line: FoundLine): boolean {
    const goesOn = line.path === this.#file[0]?.path || this.#endFile();
    this.#file.push(line);
    this.#isDoubtful ||= mayHoldSecret(line.text);
    return goesOn;
  }

  /** Passes on the lines that were held back. */
  async finish(): Promise<void> {
    if (!this.#endFile()) return;
    const files = await Promise.all(this.#held.map((lines) => this.#read(lines)));
    const doubtful = files.flat().filter((line) => line.searched !== undefined);
    const matching = await this.#rematch(doubtful.map(({ searched = '' }) => searched));
    const isFound = new Set(doubtful.filter((_, index) => matching.has(index)));
    for (const file of files) {
      const lines = file.map((line) => withFit(line, isFound.has(line)));
      for (const line of this.#nearMatches(lines)) if (!this.#options.found(line)) return;
    }
  }

  /** Passes the lines of a file on, or holds them back. */
  #endFile(): boolean {
    const lines = this.#file;
    this.#file = [];
    if (!this.#isDoubtful) return lines.every((line) => this.#options.found(line));
    this.#isDoubtful = false;
    this.#held.push(lines);
    this.#heldCount += lines.length;
    return this.#heldCount < maxHeld;
  }

  async #read(lines: readonly FoundLine[]): Promise<readonly ShownLine[]> {
    const [first] = lines;
    const text = first && (await this.#options.textOf(first.path));
    if (text === undefined) {
      return lines.map((line) => {
        const isPlain = !mayHoldSecret(line.text);
        return {
          line: isPlain ? line : { ...line, text: '' },
          ...(isPlain ? {} : { searched: '' }),
        };
      });
    }
    const plain = text.split('\n');
    const masked = maskSecrets(text).text.split('\n');
    return lines.map((line) => {
      const shown = (masked[line.line - 1] ?? '').replace(/\r$/, '');
      if (plain[line.line - 1] === masked[line.line - 1]) return { line };
      const searched = withStandIns(shown);
      return { line: { ...line, text: shown }, searched };
    });
  }

  async #rematch(lines: readonly string[]): Promise<ReadonlySet<number>> {
    const { query, rematch } = this.#options;
    const isCertain = !query.isRegex || !looksAround.test(query.text);
    return lines.length === 0 || !isCertain ? new Set() : rematch(lines);
  }

  /** The matching lines, and those around them. */
  #nearMatches(lines: readonly FoundLine[]): readonly FoundLine[] {
    const { context } = this.#options.query;
    const matches = lines.filter(({ fits }) => fits).map(({ line }) => line);
    return lines.filter(({ line }) => matches.some((match) => Math.abs(match - line) <= context));
  }
}

/** A line with its secrets masked, and what of it is searched again if it has any. */
interface ShownLine {
  readonly line: FoundLine;
  readonly searched?: string;
}

function withFit({ line, searched }: ShownLine, isFound: boolean): FoundLine {
  return searched === undefined ? line : { ...line, fits: line.fits && isFound };
}

/** Expressions that depend on characters which they don't match, or match bytes. */
const looksAround = /\\[bB<>Az]|\(\?[a-zA-Z]*-/;

/** Whether a line may be a part of a file with a secret on it. */
function mayHoldSecret(text: string): boolean {
  return findSecretToken(text) !== undefined || looksLikeKeyLine(text);
}
