import { IgnoreRules, isIgnored } from '../search/globs.ts';
import { readKnownFile, type FileSystemView } from '../workspace/disk.ts';
import {
  relativeSegments,
  segmentsOf,
  withSegments,
  type Location,
  type WorkspaceFolder,
} from '../workspace/places.ts';
import { locateRequestedPath, type PathContext } from '../workspace/requestedPath.ts';

/** Maximum bytes of a file with rules. It is unknown what the rules of a longer one ignore. */
const maxBytes = 64 * 1024;

/** The location of a workspace, and the home folder with the person's rules. */
type IgnoreContext = PathContext & { readonly home: Location | undefined };

/** Rules of a folder. Its depth is the number of segments of its path. */
interface RulesOfFolder {
  readonly depth: number;
  readonly text: string;
}

/**
 * Determines which files Git ignores: their changes don't appear in the repository's list of
 * changes. Git is called once for all files of an inspection. Without Git, the rules are read here,
 * once per folder. Must be created anew for each inspection.
 */
export class IgnoredFiles {
  readonly #context: IgnoreContext;
  readonly #view: FileSystemView | undefined;
  readonly #texts = new Map<string, Promise<string>>();
  readonly #files: readonly Location[];
  readonly #ofGit = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  #roots: Promise<readonly Location[]> | undefined;

  /**
   * @param view undefined without a local disk
   * @param files possible arguments of {@link has}, with links followed
   */
  constructor(
    context: IgnoreContext,
    view: FileSystemView | undefined,
    files: readonly Location[],
  ) {
    this.#context = context;
    this.#view = view;
    this.#files = files;
  }

  /** True if Git ignores one of the files. Also true if that can't be determined. */
  async has(location: Location): Promise<boolean> {
    if (this.#view === undefined || location.scheme !== 'file') return true;
    try {
      return await this.#isIgnored(location, this.#view);
    } catch {
      return true;
    }
  }

  async #isIgnored(location: Location, view: FileSystemView): Promise<boolean> {
    const root = await this.#rootAround(location, view);
    if (root === undefined) return true;
    const names = segmentsOf(location.path);
    const top = await this.#topOf(root, view);
    const ofGit = await this.#askGit(withSegments(location, names.slice(0, top)), view);
    if (ofGit !== undefined) return ofGit.has(location.path);
    const rules = await this.#rulesFor(location, top, view);
    // POSIX character classes are not supported by the rules.
    if (rules.some(({ text }) => text.includes('[:'))) return true;
    return isIgnoredBy(rules, names, top) || isIgnoredBy(rules.map(folded), names.map(fold), top);
  }

  /** The files that Git ignores in a folder; undefined without Git, or outside a repository. */
  #askGit(top: Location, view: FileSystemView): Promise<ReadonlySet<string> | undefined> {
    const ask = async (): Promise<ReadonlySet<string> | undefined> => {
      if ((await view.status(below(top, '.git'))) === undefined) return undefined;
      const inside = this.#files.filter((file) => relativeSegments(top, file) !== undefined);
      return view.ignoredByGit?.(top, inside);
    };
    const known = this.#ofGit.get(top.path) ?? ask();
    this.#ofGit.set(top.path, known);
    return known;
  }

  /** The innermost workspace folder around a file, with links followed. */
  async #rootAround(location: Location, view: FileSystemView): Promise<Location | undefined> {
    const real = async ({ location: folder }: WorkspaceFolder): Promise<Location> =>
      (await view.realPath(folder)) ?? folder;
    this.#roots ??= Promise.all(this.#context.folders.map(real));
    return (await this.#roots)
      .filter((root) => relativeSegments(root, location) !== undefined)
      .toSorted((root, other) => other.path.length - root.path.length)[0];
  }

  /** Number of path segments of the repository around a folder; of the folder if there is none. */
  async #topOf(root: Location, view: FileSystemView): Promise<number> {
    const names = segmentsOf(root.path);
    for (let depth = names.length; depth >= 0; depth--) {
      const git = withSegments(root, [...names.slice(0, depth), '.git']);
      if ((await view.status(git)) !== undefined) return depth;
    }
    return names.length;
  }

  /** The rules for a file, most general first. */
  async #rulesFor(
    location: Location,
    top: number,
    view: FileSystemView,
  ): Promise<readonly RulesOfFolder[]> {
    const names = segmentsOf(location.path);
    const common = await this.#commonRules(withSegments(location, names.slice(0, top)), view);
    const nested: RulesOfFolder[] = [];
    for (let depth = top; depth < names.length; depth++) {
      const path = [...names.slice(0, depth), '.gitignore'];
      nested.push({ depth, text: await this.#read(withSegments(location, path), view) });
    }
    return [...common.map((text) => ({ depth: top, text })), ...nested];
  }

  async #commonRules(top: Location, view: FileSystemView): Promise<readonly string[]> {
    const { home } = this.#context;
    const folders = await this.#gitFolders(top, view);
    const userFolders = home === undefined ? [] : [below(home, '.config/git')];
    const configs = [...(home === undefined ? [] : [below(home, '.gitconfig')])];
    configs.push(...[...userFolders, ...folders].map((folder) => below(folder, 'config')));
    const named: Location[] = [];
    for (const config of configs) {
      const file = excludesFile(await this.#read(config, view), this.#context);
      if (file !== undefined) named.push(file);
    }
    const files = [
      ...userFolders.map((folder) => below(folder, 'ignore')),
      ...named,
      ...folders.map((folder) => below(folder, 'info/exclude')),
    ];
    return Promise.all(files.map((file) => this.#read(file, view)));
  }

  /** The Git directory; for a linked working tree, also that of the tree that it belongs to. */
  async #gitFolders(top: Location, view: FileSystemView): Promise<readonly Location[]> {
    const git = below(top, '.git');
    if ((await view.status(git))?.kind !== 'file') return [git];
    const path = /^gitdir:(.+)$/m.exec(await this.#read(git, view))?.[1]?.trim() ?? '';
    if (path === '') return [];
    const { platform } = this.#context;
    const folders = [{ name: '', location: top }];
    const folder = locateRequestedPath(path, { folders, platform });
    return [folder, withSegments(folder, segmentsOf(folder.path).slice(0, -2))];
  }

  /** The text of a file; empty if it doesn't exist. Throws if it is too long, or not a file. */
  #read(file: Location, view: FileSystemView): Promise<string> {
    const known = this.#texts.get(file.path) ?? readText(file, view);
    this.#texts.set(file.path, known);
    return known;
  }
}

async function readText(file: Location, view: FileSystemView): Promise<string> {
  const status = await view.status(file);
  if (status === undefined || status.kind === 'folder') return '';
  if (status.kind === 'special') throw new Error('This is no file.');
  const bytes = await readKnownFile(view, file, status, maxBytes);
  if (bytes.length === maxBytes) throw new Error('There are too many rules.');
  return new TextDecoder().decode(bytes);
}

/** Everything in an ignored folder is ignored, whatever other rules say. */
function isIgnoredBy(
  rules: readonly RulesOfFolder[],
  names: readonly string[],
  top: number,
): boolean {
  const compiled = rules.map(({ depth, text }) => ({
    depth,
    rules: new IgnoreRules(text, names.slice(top, depth).join('/')),
  }));
  for (let end = top + 1; end <= names.length; end++) {
    const inner = compiled.filter(({ depth }) => depth < end).map((folder) => folder.rules);
    if (isIgnored(inner, names.slice(top, end).join('/'), end < names.length)) return true;
  }
  return false;
}

/** Git ignores the case of rules on volumes that ignore case. */
function folded({ depth, text }: RulesOfFolder): RulesOfFolder {
  return { depth, text: fold(text) };
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function below(folder: Location, path: string): Location {
  return withSegments(folder, [...segmentsOf(folder.path), ...segmentsOf(path)]);
}

/** The person's file of rules, from a configuration of Git. */
function excludesFile(config: string, { home, platform }: IgnoreContext): Location | undefined {
  const value = /^[ \t]*excludesfile[ \t]*=[ \t]*"?([^"\n\r]+)/im.exec(config)?.[1]?.trim();
  if (value === undefined) return undefined;
  if (value.startsWith('~/')) return home && below(home, value.slice(2));
  const isAbsolute = /^(?:\/|[a-z]:[\\/])/i.test(value);
  return isAbsolute ? locateRequestedPath(value, { folders: [], platform }) : undefined;
}
