/** Scores of the ways to fit, best first: far enough apart that nothing else outweighs them. */
const nameBegins = 6000;
const wordOfName = 5000;
const partOfName = 4000;
const lettersOfName = 2000;
const partOfPath = 1500;
const lettersOfPath = 500;

/** For a path that was used a moment ago, within its way to fit. */
const recentBonus = 400;
const wordBonus = 30;
const consecutiveBonus = 10;
const maxScattered = 900;

/**
 * Finds files and folders by letters of their names, in the order of the query. A name counts for
 * more than a path, the beginning of a word for more than its middle, letters that follow each other
 * for more than scattered ones, and a short path for more than a long one.
 */
export class FuzzyPathIndex {
  readonly #paths: readonly string[];
  readonly #lower: readonly string[];
  readonly #names: Int32Array;
  /** Which letters a path has, a bit for each of 32 kinds: most paths are ruled out by them. */
  readonly #letters: Int32Array;

  /** @param files paths with `/` between their names, without their folders */
  constructor(files: readonly string[]) {
    this.#paths = [...foldersOf(files), ...files];
    this.#lower = this.#paths.map((path) => path.toLowerCase());
    this.#names = Int32Array.from(
      this.#paths,
      (path) => path.lastIndexOf('/', path.length - 2) + 1,
    );
    this.#letters = Int32Array.from(this.#lower, lettersOf);
  }

  /** How many files and folders there are. */
  get size(): number {
    return this.#paths.length;
  }

  /**
   * Those that fit, the best first; the path of a folder ends with `/`.
   *
   * @param most how many at most
   * @param recent paths that come before others that fit as well, the newest first
   */
  find(query: string, most: number, recent: readonly string[] = []): readonly string[] {
    const wanted = query.toLowerCase().replace(/\s+/g, '');
    const bonuses = new Map(
      recent.map((path, index) => [path, recentBonus - Math.min(index, recentBonus - 1)]),
    );
    const letters = lettersOf(wanted);
    const best = new TopMatches(most);
    for (const [index, path] of this.#lower.entries()) {
      if (((this.#letters[index] ?? 0) & letters) !== letters) continue;
      const original = this.#paths[index] ?? '';
      const least = best.least - recentBonus;
      const fit = scoreOf({ path, original, name: this.#names[index] ?? 0 }, wanted, least);
      if (fit === 0) continue;
      best.add(index, fit + (bonuses.get(original) ?? 0) - Math.min(path.length, 400) / 2);
    }
    return best.indexes.map((index) => this.#paths[index] ?? '');
  }
}

/** The few with the highest scores; among equals those that came first. */
class TopMatches {
  readonly #most: number;
  readonly #entries: { readonly index: number; readonly score: number }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get indexes(): readonly number[] {
    return this.#entries.map(({ index }) => index);
  }

  /** What a score must be above to count. */
  get least(): number {
    return this.#entries.length < this.#most ? 0 : (this.#entries.at(-1)?.score ?? 0);
  }

  add(index: number, score: number): void {
    const entries = this.#entries;
    if (entries.length >= this.#most && score <= this.least) return;
    let place = entries.length;
    while (place > 0 && (entries[place - 1]?.score ?? 0) < score) place--;
    entries.splice(place, 0, { index, score });
    if (entries.length > this.#most) entries.pop();
  }
}

function foldersOf(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    let end = file.lastIndexOf('/');
    while (end > 0 && !folders.has(file.slice(0, end + 1))) {
      folders.add(file.slice(0, end + 1));
      end = file.lastIndexOf('/', end - 1);
    }
  }
  return [...folders];
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let index = 0; index < text.length; index++) letters |= 1 << (text.charCodeAt(index) & 31);
  return letters;
}

/** A path in lower case and as it is, and where its name begins. */
interface Candidate {
  readonly path: string;
  readonly original: string;
  readonly name: number;
}

/** How well it fits; 0 where it does not, or only in ways whose scores are not above the least. */
function scoreOf(candidate: Candidate, wanted: string, least: number): number {
  const { path, original, name } = candidate;
  if (wanted === '') return 1;
  const inName = path.indexOf(wanted, name);
  if (inName === name) return nameBegins;
  if (inName > name) return isWordStart(original, inName) ? wordOfName : partOfName;
  if (least >= lettersOfName + maxScattered) return 0;
  const scattered = scatterPenalty(candidate, name, wanted);
  if (scattered > 0) return lettersOfName + scattered;
  const inPath = path.indexOf(wanted);
  if (inPath >= 0) return partOfPath + (isWordStart(original, inPath) ? wordBonus : 0);
  if (least >= lettersOfPath + maxScattered) return 0;
  const far = scatterPenalty(candidate, 0, wanted);
  return far > 0 ? lettersOfPath + far : 0;
}

/** How near to each other, and to the beginnings of words, the letters stand; 0 where one lacks. */
function scatterPenalty({ path, original }: Candidate, start: number, wanted: string): number {
  let score = 1;
  let place = start - 1;
  for (let index = 0; index < wanted.length; index++) {
    const next = path.indexOf(wanted.charAt(index), place + 1);
    if (next < 0) return 0;
    if (index > 0 && next === place + 1) score += consecutiveBonus;
    else if (isWordStart(original, next)) score += wordBonus;
    place = next;
  }
  return Math.min(score, maxScattered);
}

/** By letters of English: what is none begins nothing and ends everything. */
function isWordStart(text: string, index: number): boolean {
  if (index === 0) return true;
  const before = text.charCodeAt(index - 1);
  return !isLetter(before) || (isUpper(text.charCodeAt(index)) && !isUpper(before));
}

function isLetter(code: number): boolean {
  return isUpper(code) || (code >= 97 && code <= 122);
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}
