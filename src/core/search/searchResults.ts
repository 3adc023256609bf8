import { pathLine, truncateText } from '../support/text.ts';
import { maxFoundLineLength, type FoundLine } from './fileSearch.ts';

/** Maximum number of matching lines per result. */
export const maxMatches = 200;
/** Number of lines after which the search is ended. */
const maxKept = 10_000;
/** Maximum number of characters of matching lines in a result, leaving space for the rest of it. */
const maxCharacters = 24_000;

interface RenderOptions {
  /** Number of matching lines to skip, since the model has seen them. */
  readonly skip: number;
}

/** Collects the results of a search. */
export class SearchResults {
  readonly #lines = new Map<string, FoundLine[]>();
  #lineCount = 0;

  /** Adds a line, whose path is the label of its file. Returns whether there is space for more. */
  add(line: FoundLine): boolean {
    const truncated = { ...line, text: truncateText(line.text, maxFoundLineLength) };
    const lines = this.#lines.get(line.path);
    if (lines === undefined) this.#lines.set(line.path, [truncated]);
    else lines.push(truncated);
    this.#lineCount++;
    return !this.isFull;
  }

  get isFull(): boolean {
    return this.#lineCount >= maxKept;
  }

  /** Formats the lines by file like `grep`: `12:` for a match, `12-` for a context line. */
  render(options: RenderOptions): string {
    const page = new Page(options.skip);
    for (const label of [...this.#lines.keys()].toSorted()) {
      const lines = this.#lines.get(label) ?? [];
      // Lines with masks follow the others of their file.
      page.addFile(
        label,
        lines.toSorted((first, second) => first.line - second.line),
      );
    }
    const parts = [page.text, page.remainingNote(this.isFull)];
    const text = parts.filter((part) => part !== '').join('\n\n');
    return text === '' ? 'Nothing found.' : text;
  }
}

class Page {
  readonly #skip: number;
  readonly #lines: string[] = [];
  #skipped = 0;
  #matchCount = 0;
  #length = 0;
  #remaining = 0;
  #remainingFiles = 0;

  constructor(skip: number) {
    this.#skip = skip;
  }

  get text(): string {
    return this.#lines.join('\n\n');
  }

  addFile(label: string, lines: readonly FoundLine[]): void {
    const remainingBefore = this.#remaining;
    const chosen = lines.filter((line) => this.#includes(line));
    // Notebooks are searched as they are on disk, including outputs, but read as cells.
    const note = /\.ipynb$/i.test(label)
      ? ' (lines of the JSON; read_file shows the cells, which have other numbers)'
      : '';
    if (chosen.length > 0)
      this.#lines.push([pathLine(label) + note, ...writeLines(chosen)].join('\n'));
    if (this.#remaining > remainingBefore) this.#remainingFiles++;
  }

  #includes({ fits, text }: FoundLine): boolean {
    if (this.#skipped < this.#skip) {
      this.#skipped += fits ? 1 : 0;
      return false;
    }
    if (this.#matchCount >= maxMatches || this.#length >= maxCharacters) {
      this.#remaining += fits ? 1 : 0;
      return false;
    }
    this.#matchCount += fits ? 1 : 0;
    this.#length += text.length + 8;
    return true;
  }

  /** A note about further matches and how to get them; empty if there are none. */
  remainingNote(isIncomplete: boolean): string {
    if (this.#remaining === 0 && !isIncomplete) return '';
    const count = `${isIncomplete ? 'more than ' : ''}${this.#remaining}`;
    const files = `${this.#remainingFiles} ${this.#remainingFiles === 1 ? 'file' : 'files'}`;
    const skip = this.#skipped + this.#matchCount;
    return `(${count} more in ${files}. Narrow the search, or repeat it with skip: ${skip}.)`;
  }
}

/** Formats lines, with `--` between groups if there are context lines. */
function writeLines(lines: readonly FoundLine[]): readonly string[] {
  const hasContext = lines.some(({ fits }) => !fits);
  return lines.flatMap(({ line, text, fits }, index) => {
    const written = `${line}${fits ? ':' : '-'}${text}`;
    const before = lines[index - 1]?.line;
    return hasContext && before !== undefined && line > before + 1 ? ['--', written] : [written];
  });
}
