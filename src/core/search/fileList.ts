import { pathLine } from '../support/text.ts';

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
  const root = treeOf(paths);
  const opened = chooseOpened(root);
  const all = linesOf(root, opened);
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

function treeOf(paths: readonly string[]): Folder {
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
  return root;
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

function linesOf(folder: Folder, opened: Opened): string[] {
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
  return [...block, ...folders.flatMap((inner) => linesOf(inner, opened))];
}
