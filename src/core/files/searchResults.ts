import { pathLine, truncateText } from '../support/text.ts';
import { type FoundLine, maxFoundLineLength } from './fileSearch.ts';

/** Maximum number of matching lines per result. */
export const maxMatches = 200;
/** Number of lines after which the search is ended. */
const maxKept = 10_000;
/** Maximum number of characters of matching lines in a result, leaving space for the rest of it. */
const maxCharacters = 24_000;

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

  /**
   * Formats the lines by file like `grep`: `12:` for a match, `12-` for a context line.
   *
   * @param skip number of matching lines to skip, since the model has seen them
   */
  render(skip: number): string {
    const files: string[] = [];
    let [skipped, matchCount, length, remaining, remainingFiles] = [0, 0, 0, 0, 0];
    for (const label of [...this.#lines.keys()].toSorted()) {
      const remainingBefore = remaining;
      // Lines with masks follow the others of their file.
      const inOrder = (this.#lines.get(label) ?? []).toSorted(
        (first, second) => first.line - second.line,
      );
      const chosen = inOrder.filter(({ fits, text }) => {
        const count = fits ? 1 : 0;
        if (skipped < skip) {
          skipped += count;
          return false;
        }
        if (matchCount >= maxMatches || length >= maxCharacters) {
          remaining += count;
          return false;
        }
        matchCount += count;
        length += text.length + 8;
        return true;
      });
      if (remaining > remainingBefore) remainingFiles++;
      if (chosen.length === 0) continue;
      // Notebooks are searched as they are on disk, including outputs, but read as cells.
      const note = /\.ipynb$/i.test(label)
        ? ' (lines of the JSON; read_file shows the cells, which have other numbers)'
        : '';
      // Groups are separated by `--` if there are context lines.
      const hasContext = chosen.some(({ fits }) => !fits);
      const written = chosen.flatMap(({ line, text, fits }, index) => {
        const before = chosen[index - 1]?.line ?? line;
        const isApart = hasContext && line > before + 1;
        return [...(isApart ? ['--'] : []), `${line}${fits ? ':' : '-'}${text}`];
      });
      files.push([pathLine(label) + note, ...written].join('\n'));
    }
    if (remaining > 0 || this.isFull) {
      const count = `${this.isFull ? 'more than ' : ''}${remaining}`;
      const where = `${remainingFiles} ${remainingFiles === 1 ? 'file' : 'files'}`;
      files.push(
        `(${count} more in ${where}. Narrow the search, or repeat it with skip: ${skipped + matchCount}.)`,
      );
    }
    return files.length === 0 ? 'Nothing found.' : files.join('\n\n');
  }
}

/** Maximum number of lines of a list. Folders that do not fit are summarized, then omitted. */
const maxLines = 600;

interface Folder {
  readonly path: string;
  readonly folders: Map<string, Folder>;
  readonly files: string[];
  /** Number of files in it and its subfolders. */
  count: number;
}

/**
 * Lists paths by folder: the path of each folder, followed by the names of its files. If there are
 * too many, the deepest folders are listed only with their number of files.
 */
export function renderFiles(paths: readonly string[]): string {
  const root = newFolder('');
  for (const path of paths) {
    const names = pathLine(path).split('/');
    const file = names.pop() ?? '';
    let folder = root;
    folder.count++;
    for (const name of names) {
      const inner = folder.folders.get(name) ?? newFolder(`${folder.path}${name}/`);
      folder.folders.set(name, inner);
      folder = inner;
      folder.count++;
    }
    folder.files.push(file);
  }
  const opened = chooseOpened(root);
  const all = folderLines(root, opened);
  if (opened.isWhole) return all.join('\n');
  // Only a root with too many folders has more lines, and its folders come last.
  const lines = all.slice(0, maxLines);
  if (all.length > maxLines + 1) lines.push(`… ${all.length - maxLines} more folders`);
  else lines.push(...all.slice(maxLines));
  return `${lines.join('\n')}\n(Folders with a number are not expanded: list them by path, or give a pattern.)`;
}

/** The expanded folders. `isWhole` is false if something is omitted. */
interface Opened {
  readonly folders: Set<Folder>;
  isWhole: boolean;
}

function newFolder(path: string): Folder {
  return { path, folders: new Map(), files: [], count: 0 };
}

/** Expands folders level by level as long as there is space. */
function chooseOpened(root: Folder): Opened {
  const opened: Opened = { folders: new Set(), isWhole: true };
  let linesLeft = maxLines;
  let level = [root];
  while (level.length > 0) {
    const next: Folder[] = [];
    for (const folder of level) {
      const lines = folder.files.length + folder.folders.size;
      if (lines > linesLeft) {
        opened.isWhole = false;
        if (folder !== root) continue;
      }
      linesLeft -= lines;
      opened.folders.add(folder);
      next.push(...folder.folders.values());
    }
    level = next;
  }
  return opened;
}

function folderLines(folder: Folder, opened: Opened): string[] {
  if (!opened.folders.has(folder)) {
    return [`${folder.path} (${folder.count} ${folder.count === 1 ? 'file' : 'files'})`];
  }
  const names = folder.files.toSorted();
  const head = folder.path === '' ? [] : [folder.path];
  const indent = folder.path === '' ? '' : ' ';
  const mostFiles = maxLines - Math.min(folder.folders.size, maxLines / 2);
  const lines = names.slice(0, mostFiles).map((name) => indent + name);
  const remaining = names.length - lines.length;
  if (remaining > 0) {
    opened.isWhole = false;
    lines.push(`${indent}… ${remaining} more`);
  }
  const folders = [...folder.folders.values()].toSorted((first, second) =>
    first.path < second.path ? -1 : 1,
  );
  // A folder without files of its own needs no line: the paths of its subfolders include it.
  const block = lines.length > 0 ? [...head, ...lines] : [];
  return [...block, ...folders.flatMap((inner) => folderLines(inner, opened))];
}
