import {
  findSecretToken,
  looksLikeKeyLine,
  maskSecrets,
  withStandIns,
} from '../support/secretTokens.ts';
import { maxReadLineLength, type FoundLine, type TextQuery } from './fileSearch.ts';

/** Maximum number of lines that are held back until their files are read. */
const maxHeld = 10_000;

export interface MaskedLinesOptions {
  readonly query: TextQuery;
  /** Receives the lines with secrets masked; returns false to end the search. */
  readonly onLine: (line: FoundLine) => boolean;
  /** The whole text of a file; undefined if it cannot be read or is too long. */
  readonly textOf: (path: string) => Promise<string | undefined>;
  /** The indexes of the lines that the query matches, in which nothing matches `secretStandIn`. */
  readonly rematch: (lines: readonly string[]) => Promise<ReadonlySet<number>>;
}

/**
 * Masks secrets in the lines that a search matched in files. A line counts as a match only if it
 * also matches without its secrets: otherwise an expression could reveal them, character by character
 * (threats: T44).
 */
export class MaskedLines {
  readonly #options: MaskedLinesOptions;
  readonly #held: FoundLine[][] = [];
  readonly #texts = new Map<string, Promise<FileLines | undefined>>();
  #heldCount = 0;
  /** A match with its context lines, or several matches whose context lines meet. */
  #group: FoundLine[] = [];
  #isDoubtful = false;

  constructor(options: MaskedLinesOptions) {
    this.#options = options;
  }

  /** Adds a line of the search; those of a file are together. Returns false to end the search. */
  add(line: FoundLine): boolean {
    const last = this.#group.at(-1);
    const isNext = last?.path === line.path && last.line + 1 === line.line;
    const goesOn = (isNext && this.#options.query.context > 0) || this.#endGroup();
    this.#group.push(line);
    this.#isDoubtful ||= mayBeCut(line.text) || looksSecret(line.text);
    return goesOn;
  }

  /** Passes on the lines that are still held back. */
  async finish(): Promise<void> {
    if (!this.#endGroup()) return;
    const groups = await Promise.all(this.#held.map((lines) => this.#mask(lines)));
    const doubtful = groups.flat().filter((line) => line.searched !== undefined);
    const matching = await this.#rematch(doubtful.map(({ searched = '' }) => searched));
    const isFound = new Set(doubtful.filter((_, index) => matching.has(index)));
    for (const group of groups) {
      const lines = group.map((line) =>
        line.searched === undefined
          ? line.line
          : { ...line.line, fits: line.line.fits && isFound.has(line) },
      );
      for (const line of this.#nearMatches(lines)) if (!this.#options.onLine(line)) return;
    }
  }

  /** Passes the lines of a group on, or holds them back. */
  #endGroup(): boolean {
    const lines = this.#group;
    this.#group = [];
    if (!this.#isDoubtful) return lines.every((line) => this.#options.onLine(line));
    this.#isDoubtful = false;
    this.#held.push(lines);
    this.#heldCount += lines.length;
    return this.#heldCount < maxHeld;
  }

  async #mask(lines: readonly FoundLine[]): Promise<readonly ShownLine[]> {
    const path = lines[0]?.path ?? '';
    const file = this.#texts.get(path) ?? this.#read(path);
    this.#texts.set(path, file);
    const known = await file;
    return lines.map((line) => {
      if (known === undefined) return withoutFile(line);
      const masked = known.masked[line.line - 1] ?? '';
      if (known.plain[line.line - 1] === masked) return { line };
      const text = masked.replace(/\r$/, '');
      return { line: { ...line, text }, searched: withStandIns(text) };
    });
  }

  /** Reads a file once, however many of its lines may hold secrets. */
  async #read(path: string): Promise<FileLines | undefined> {
    const text = await this.#options.textOf(path);
    if (text === undefined) return undefined;
    return { plain: text.split('\n'), masked: maskSecrets(text).text.split('\n') };
  }

  async #rematch(lines: readonly string[]): Promise<ReadonlySet<number>> {
    const { query, rematch } = this.#options;
    const isCertain = !query.isRegex || !looksAround.test(query.text);
    return lines.length === 0 || !isCertain ? new Set() : rematch(lines);
  }

  #nearMatches(lines: readonly FoundLine[]): readonly FoundLine[] {
    const { context } = this.#options.query;
    const matches = lines.filter(({ fits }) => fits).map(({ line }) => line);
    return lines.filter(({ line }) => matches.some((match) => Math.abs(match - line) <= context));
  }
}

/** The lines of a file, plain and with secrets masked. */
interface FileLines {
  readonly plain: readonly string[];
  readonly masked: readonly string[];
}

/** A line of a file that cannot be read as a whole: its text is withheld if it may be secret. */
function withoutFile(line: FoundLine): ShownLine {
  if (looksSecret(line.text)) return { line: { ...line, text: '' }, searched: '' };
  if (!mayBeCut(line.text)) return { line };
  return { line, searched: line.text.slice(0, surelyWhole) };
}

/** A line with its secrets masked, and the text to search again if it has any. */
interface ShownLine {
  readonly line: FoundLine;
  readonly searched?: string;
}

/** Expressions that depend on characters which they do not match, or that match bytes. */
const looksAround = /\\[bB<>Az]|\(\?[a-zA-Z]*-/;

/** Number of characters that ripgrep never cuts off, although it counts bytes. */
const surelyWhole = maxReadLineLength / 4;

/** True if the search may have matched more of the line than it passed on. */
function mayBeCut(text: string): boolean {
  return text.length > surelyWhole;
}

/**
 * The beginning of a line that is a secret if the line before ends with its name, as in a long
 * string that a formatter moved to the next line.
 */
const valueAtStart =
  /^[\s:="'`]{0,8}(?:(?:[A-Za-z]{3,10} |base64:)?(?:(?=[^\d\s"']{0,200}\d)[\w+/.~=-]{16,}|[\w+/-]{40,})|(?:[Pp]assword|[Pp]wd)=)/;

/** A run that every line of a private key has, and hardly any other line. */
const keyRun = /[A-Za-z0-9+/]{48}/;

function looksSecret(text: string): boolean {
  if (looksLikeKeyLine(text) || valueAtStart.test(text) || keyRun.test(text)) return true;
  return findSecretToken(text) !== undefined;
}
