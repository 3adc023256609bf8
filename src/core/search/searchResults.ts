import type { FoundLine } from './fileSearch.ts';

/** Fitting lines that one result tells. */
export const maxMatches = 200;
/** Lines that are kept at most until the search is broken off. */
const maxKept = 10_000;
/** Characters of a result, with room for what stands around. */
const maxCharacters = 24_000;

interface RenderOptions {
  /** Whether the lines of the file may be told. */
  readonly mayShow: (label: string) => boolean;
  /** Fitting lines to leave out, since the model has seen them. */
  readonly skip: number;
}

/** What a search found so far. */
export class SearchResults {
  readonly #lines = new Map<string, FoundLine[]>();
  #kept = 0;

  /** Takes a line, whose path is what the file is called. Tells whether there is room for more. */
  add(found: FoundLine): boolean {
    const lines = this.#lines.get(found.path);
    if (lines === undefined) this.#lines.set(found.path, [found]);
    else lines.push(found);
    this.#kept++;
    return !this.isFull;
  }

  get isFull(): boolean {
    return this.#kept >= maxKept;
  }

  /** The lines by file, as `grep` has them: `12:` for one that fits, `12-` for one beside. */
  render(options: RenderOptions): string {
    const page = new Page(options.skip);
    const secrets: string[] = [];
    for (const label of [...this.#lines.keys()].toSorted()) {
      if (options.mayShow(label)) page.addFile(label, this.#lines.get(label) ?? []);
      else secrets.push(label);
    }
    const named = secrets.map(
      (label) => `${label}: has matches, but may contain secrets: not shown.`,
    );
    const parts = [page.text, named.join('\n'), page.rest(this.isFull)];
    const text = parts.filter((part) => part !== '').join('\n\n');
    return text === '' ? 'Nothing found.' : text;
  }
}

/** One result's part of all that was found. */
class Page {
  readonly #skip: number;
  readonly #shown: string[] = [];
  #passed = 0;
  #matchCount = 0;
  #length = 0;
  #left = 0;
  #leftFiles = 0;

  constructor(skip: number) {
    this.#skip = skip;
  }

  get text(): string {
    return this.#shown.join('\n\n');
  }

  addFile(label: string, lines: readonly FoundLine[]): void {
    const left = this.#left;
    const chosen = lines.filter((line) => this.#takes(line));
    if (chosen.length > 0) this.#shown.push([label, ...writeLines(chosen)].join('\n'));
    if (this.#left > left) this.#leftFiles++;
  }

  #takes({ fits, text }: FoundLine): boolean {
    if (this.#passed < this.#skip) {
      this.#passed += fits ? 1 : 0;
      return false;
    }
    if (this.#matchCount >= maxMatches || this.#length >= maxCharacters) {
      this.#left += fits ? 1 : 0;
      return false;
    }
    this.#matchCount += fits ? 1 : 0;
    this.#length += text.length + 8;
    return true;
  }

  /** What is left, and how to get at it; empty where nothing is. */
  rest(isOpen: boolean): string {
    if (this.#left === 0 && !isOpen) return '';
    const count = `${isOpen ? 'more than ' : ''}${this.#left}`;
    const files = `${this.#leftFiles} ${this.#leftFiles === 1 ? 'file' : 'files'}`;
    const skip = this.#passed + this.#matchCount;
    return `(${count} more in ${files}. Narrow the search, or repeat it with skip: ${skip}.)`;
  }
}

/** With a mark where lines are left out, if there is more around than the lines that fit. */
function writeLines(lines: readonly FoundLine[]): readonly string[] {
  const hasContext = lines.some(({ fits }) => !fits);
  return lines.flatMap(({ line, text, fits }, index) => {
    const written = `${line}${fits ? ':' : '-'}${text}`;
    const before = lines[index - 1]?.line;
    return hasContext && before !== undefined && line > before + 1 ? ['--', written] : [written];
  });
}
