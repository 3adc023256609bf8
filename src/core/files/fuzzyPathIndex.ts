/** Scores by kind of match, best first, too far apart to be outweighed by anything else. */
const nameBegins = 6000;
const wordOfName = 5000;
const partOfName = 4000;
const lettersOfName = 2000;
const partOfPath = 1500;
const lettersOfPath = 500;

/** Bonus for recently used paths, within the same kind of match. */
const recentBonus = 400;
const wordBonus = 30;
const consecutiveBonus = 10;
const maxScattered = 900;

/**
 * Finds files and folders whose names contain the letters of a query in order. Names count more
 * than paths, starts of words more than their middles, consecutive letters more than scattered
 * ones, and short paths more than long ones.
 */
export class FuzzyPathIndex {
  readonly #paths: readonly string[];
  readonly #lower: readonly string[];
  readonly #names: Int32Array;
  /** Bitmask of the characters of each path, folded to 32 kinds: rules out most paths quickly. */
  readonly #letters: Int32Array;
  /** Index of the file with each name, -1 for several; built on first use. */
  #files: Map<string, number> | undefined;

  /** @param files paths with `/` as separator, without entries for folders */
  constructor(files: readonly string[]) {
    const folders = new Set<string>();
    for (const file of files) {
      let end = file.lastIndexOf('/');
      while (end > 0 && !folders.has(file.slice(0, end + 1))) {
        folders.add(file.slice(0, end + 1));
        end = file.lastIndexOf('/', end - 1);
      }
    }
    this.#paths = [...folders, ...files];
    this.#lower = this.#paths.map((path) => path.toLowerCase());
    this.#names = Int32Array.from(
      this.#paths,
      (path) => path.lastIndexOf('/', path.length - 2) + 1,
    );
    this.#letters = Int32Array.from(this.#lower, lettersOf);
  }

  /** The path of the file with this name; undefined if there is none or several. */
  onlyFileNamed(name: string): string | undefined {
    if (this.#files === undefined) {
      this.#files = new Map();
      for (const [index, path] of this.#paths.entries()) {
        if (path.endsWith('/')) continue;
        const file = path.slice(this.#names[index] ?? 0);
        this.#files.set(file, this.#files.has(file) ? -1 : index);
      }
    }
    return this.#paths[this.#files.get(name) ?? -1];
  }

  /**
   * The matching paths, best first; paths of folders end with `/`.
   *
   * @param most maximum number of results
   * @param recent paths that rank before other matches of the same kind, newest first
   */
  find(query: string, most: number, recent: readonly string[] = []): readonly string[] {
    const pattern = query.toLowerCase().replace(/\s+/g, '');
    const bonuses = new Map(
      recent.map((path, index) => [path, recentBonus - Math.min(index, recentBonus - 1)]),
    );
    const letters = lettersOf(pattern);
    const top = new TopMatches(most);
    for (const [index, path] of this.#lower.entries()) {
      if (((this.#letters[index] ?? 0) & letters) !== letters) continue;
      const original = this.#paths[index] ?? '';
      const least = top.least - recentBonus;
      const score = scoreOf({ path, original, name: this.#names[index] ?? 0 }, pattern, least);
      if (score === 0) continue;
      top.add(index, score + (bonuses.get(original) ?? 0) - Math.min(path.length, 400) / 2);
    }
    return top.indexes.map((index) => this.#paths[index] ?? '');
  }
}

/** The entries with the highest scores; among equal scores, the earlier ones. */
class TopMatches {
  readonly #most: number;
  readonly #entries: { readonly index: number; readonly score: number }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get indexes(): readonly number[] {
    return this.#entries.map(({ index }) => index);
  }

  /** The score that a new entry must exceed. */
  get least(): number {
    return this.#entries.length < this.#most ? 0 : (this.#entries.at(-1)?.score ?? 0);
  }

  add(index: number, score: number): void {
    const entries = this.#entries;
    if (entries.length >= this.#most && score <= this.least) return;
    let position = entries.length;
    while (position > 0 && (entries[position - 1]?.score ?? 0) < score) position--;
    entries.splice(position, 0, { index, score });
    if (entries.length > this.#most) entries.pop();
  }
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let index = 0; index < text.length; index++) letters |= 1 << (text.charCodeAt(index) & 31);
  return letters;
}

/** A path in lower case and as it is, and the offset of its name. */
interface Candidate {
  readonly path: string;
  readonly original: string;
  readonly name: number;
}

/** The score of a candidate; 0 if it does not match, or only with a score not above the minimum. */
function scoreOf(candidate: Candidate, pattern: string, least: number): number {
  const { path, original, name } = candidate;
  if (pattern === '') return 1;
  const inName = path.indexOf(pattern, name);
  if (inName === name) return nameBegins;
  if (inName > name) return isWordStart(original, inName) ? wordOfName : partOfName;
  if (least >= lettersOfName + maxScattered) return 0;
  const scattered = scatterPenalty(candidate, name, pattern);
  if (scattered > 0) return lettersOfName + scattered;
  const inPath = path.indexOf(pattern);
  if (inPath >= 0) return partOfPath + (isWordStart(original, inPath) ? wordBonus : 0);
  if (least >= lettersOfPath + maxScattered) return 0;
  const far = scatterPenalty(candidate, 0, pattern);
  return far > 0 ? lettersOfPath + far : 0;
}

/** Score for letters that are close to each other and to starts of words; 0 if one is missing. */
function scatterPenalty({ path, original }: Candidate, start: number, pattern: string): number {
  let score = 1;
  let previous = start - 1;
  for (let index = 0; index < pattern.length; index++) {
    const next = path.indexOf(pattern.charAt(index), previous + 1);
    if (next < 0) return 0;
    if (index > 0 && next === previous + 1) score += consecutiveBonus;
    else if (isWordStart(original, next)) score += wordBonus;
    previous = next;
  }
  return Math.min(score, maxScattered);
}

/** Only ASCII letters form words; any other character separates them. */
function isWordStart(text: string, index: number): boolean {
  if (index === 0) return true;
  const before = text.charCodeAt(index - 1);
  const isLetter = isUpper(before) || (before >= 97 && before <= 122);
  return !isLetter || (isUpper(text.charCodeAt(index)) && !isUpper(before));
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}
