import * as z from 'zod/mini';
import { parseJson } from '../support/json.ts';
import { oneLine, revealInvisible, truncateGraphemes, truncateText } from '../support/text.ts';
import type { DiffHunk, DiffLine } from './numberedDiff.ts';
import type { ReviewedFile } from './reviewPrompt.ts';

/** A comment of a model on lines of a changed file. */
export interface ReviewComment {
  readonly path: string;
  /** The first and last line in the changed file, counted from 1. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly kind: ReviewKind;
  /** Unchecked Markdown, with invisible characters made visible. */
  readonly text: string;
}

type ReviewKind = z.infer<typeof kind>;

const kind = z.enum(['bug', 'risk', 'suggestion']);
const lineNumber = z.union([z.number(), z.string().check(z.regex(/^\s*\d{1,9}\s*$/))]);

/** A comment as a model writes it. Numbers may be strings, and there may be further fields. */
const remark = z.object({
  file: z.string(),
  line: lineNumber,
  endLine: z.catch(z.optional(lineNumber), undefined),
  kind: z.catch(kind, 'suggestion'),
  comment: z.string(),
});

/** Further comments are a mistake of the model or an attack. */
const maxComments = 100;
const maxCommentsOfFile = 30;
const maxText = 2000;
const maxObject = 20_000;
const maxWords = 2000;
const maxLines = 50;

/**
 * Maximum distance in lines between a comment and the sent lines: models are off by a line or two.
 */
const near = 3;

/**
 * Reads the reply to a review as it streams: JSON objects, ignoring any text around them. Drops
 * comments that name no reviewed file, or no line that was sent.
 */
export class ReviewReader {
  readonly #files: readonly ReviewedFile[];
  readonly #remarks = new ObjectScanner((text) => remark.safeParse(parseJson(text)).data);
  readonly #linesByFile = new Map<string, Set<string>>();
  #count = 0;
  #leftOut = 0;

  constructor(files: readonly ReviewedFile[]) {
    this.#files = files;
  }

  /** Adds text of the reply, and returns the comments that are complete with it. */
  push(text: string): readonly ReviewComment[] {
    return this.#remarks.push(text).flatMap((object) => {
      const comment = this.#count < maxComments ? this.#commentOf(object) : undefined;
      if (comment === undefined) this.#leftOut += 1;
      else this.#count += 1;
      return comment === undefined ? [] : [comment];
    });
  }

  /** Number of comments that fit no reviewed line, or were too many. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** The text of a reply without comments; empty if it only says that there are none. */
  get words(): string {
    const words = this.#remarks.words.replace(/```\w*|[[\]{},]|"comments"\s*:/g, ' ').trim();
    return /^\W*none\W*$/i.test(words) || !/\p{L}/u.test(words) ? '' : words;
  }

  #commentOf({
    file: name,
    line,
    endLine = line,
    kind: what,
    comment,
  }: z.infer<typeof remark>): ReviewComment | undefined {
    const file = findFile(this.#files, name);
    const text = truncateGraphemes(revealInvisible(truncateText(comment, maxText)).text, maxText);
    const lines = file && findLines(file.hunks, Number(line), Number(endLine));
    const [first] = lines ?? [];
    if (file === undefined || lines === undefined || first?.line === undefined) return undefined;
    if (text.trim() === '' || !this.#isNew(file, `${first.line} ${text}`)) return undefined;
    const start = first.line;
    return {
      path: file.path,
      start,
      end: start + lines.length - 1,
      kind: what,
      lines: lines.map((diffLine) => diffLine.text),
      text: text.trim(),
    };
  }

  #isNew({ path }: ReviewedFile, key: string): boolean {
    const keys = this.#linesByFile.get(path) ?? new Set();
    this.#linesByFile.set(path, keys);
    if (keys.has(key) || keys.size >= maxCommentsOfFile) return false;
    keys.add(key);
    return true;
  }
}

/** The file with this name, or the only one whose name ends with it. */
function findFile(files: readonly ReviewedFile[], written: string): ReviewedFile | undefined {
  const name = oneLine(written.replaceAll('\\', '/').replace(/^\.?\//, ''));
  const exact = files.find((file) => file.name === written || file.name === name);
  if (exact !== undefined || name === '') return exact;
  const short = name.replace(/^[ab]\//, '');
  const ending = files.filter((file) => `/${file.name}`.endsWith(`/${short}`));
  return ending.length === 1 ? ending[0] : undefined;
}

/** The sent lines of one hunk that a comment is about, or those next to them. */
function findLines(
  hunks: readonly DiffHunk[],
  from: number,
  to: number,
): readonly DiffLine[] | undefined {
  const nearest = hunks
    .map(({ lines }) => {
      const numbered = lines.filter(({ line }) => line !== undefined);
      const distances = numbered.map(({ line = 0 }) => Math.abs(line - from));
      const distance = Math.min(...distances);
      return { numbered, distance, index: distances.indexOf(distance) };
    })
    .toSorted((first, second) => first.distance - second.distance)[0];
  if (nearest === undefined || !(nearest.distance <= near)) return undefined;
  const { numbered, index } = nearest;
  const behind = numbered.filter(({ line = 0 }, at) => at > index && line <= to);
  return numbered.slice(index, index + 1 + Math.min(behind.length, maxLines - 1));
}

/**
 * Finds JSON objects without nested objects in a text, character by character. An unterminated
 * object, or a quotation mark in prose, costs at most the text up to the next line that starts with
 * an object.
 */
class ObjectScanner<T> {
  readonly #read: (object: string) => T | undefined;
  #object: string[] | undefined;
  #inString = false;
  #isEscaped = false;
  #isLineStart = true;
  #words = '';

  /** @param read parses an object; returns undefined for one of another shape */
  constructor(read: (object: string) => T | undefined) {
    this.#read = read;
  }

  /** The beginning of the text outside of the objects that were read. */
  get words(): string {
    return truncateText(this.#words + (this.#object ?? []).join(''), maxWords);
  }

  push(text: string): readonly T[] {
    const objects: T[] = [];
    for (const character of text) {
      const object = this.#add(character);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  #add(character: string): T | undefined {
    const begins = character === '{' && (!this.#inString || this.#isLineStart);
    this.#isLineStart = character === '\n' || (this.#isLineStart && /[\s[,]/.test(character));
    if (begins || (this.#object ?? []).length > maxObject) this.#drop();
    if (begins) this.#object = [];
    if (this.#object === undefined) {
      if (this.#words.length < maxWords) this.#words += character;
    } else {
      this.#object.push(
        this.#inString && character < ' ' ? JSON.stringify(character).slice(1, -1) : character,
      );
      if (this.#ends(character)) return this.#end();
    }
    return undefined;
  }

  #drop(): void {
    this.#words = this.words;
    this.#object = undefined;
    this.#inString = false;
    this.#isEscaped = false;
  }

  #ends(character: string): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = this.#inString;
    else if (character === '"') this.#inString = !this.#inString;
    return character === '}' && !this.#inString;
  }

  #end(): T | undefined {
    const object = this.#read((this.#object ?? []).join(''));
    if (object !== undefined) this.#object = undefined;
    this.#drop();
    return object;
  }
}
