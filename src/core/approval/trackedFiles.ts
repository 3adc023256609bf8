import type { FileSystemView } from '../workspace/disk.ts';
import {
  relativeSegments,
  segmentsOf,
  withSegments,
  type Location,
  type Target,
} from '../workspace/places.ts';

/**
 * Determines which files an approval of edits in a chat covers: those that already exist and, in a
 * repository, that Git tracks. A new file can be one that a program looks for and runs, whatever its
 * name, and no list of changes shows what Git doesn't track (threats: class C2). The repository is
 * the innermost one around the file, which is asked once for all files of an inspection. Must be
 * created anew for each inspection.
 */
export class TrackedFiles {
  readonly #view: FileSystemView | undefined;
  readonly #files: readonly Location[];
  readonly #repositories = new Map<string, Promise<Location | undefined>>();
  readonly #tracked = new Map<string, Promise<ReadonlySet<string>>>();

  /**
   * @param view undefined without a local disk
   * @param targets possible arguments of {@link has}
   */
  constructor(view: FileSystemView | undefined, targets: readonly Target[]) {
    this.#view = view;
    this.#files = targets.filter(({ kind }) => kind === 'file').map(({ location }) => location);
  }

  /** False if it can't be determined, for example without a program for an existing repository. */
  async has({ kind, location }: Target): Promise<boolean> {
    if (this.#view === undefined || location.scheme !== 'file' || kind !== 'file') return false;
    try {
      const repository = await this.#repositoryOf(location, this.#view);
      if (repository === undefined) return true;
      return (await this.#trackedIn(repository, this.#view)).has(location.path);
    } catch {
      return false;
    }
  }

  /** The innermost folder around a file with an entry `.git`. */
  async #repositoryOf(file: Location, view: FileSystemView): Promise<Location | undefined> {
    const names = segmentsOf(file.path).slice(0, -1);
    const folder = withSegments(file, names);
    const known = this.#repositories.get(folder.path);
    if (known !== undefined) return known;
    const find = async (): Promise<Location | undefined> => {
      if ((await view.status(withSegments(folder, [...names, '.git']))) !== undefined)
        return folder;
      return names.length === 0 ? undefined : this.#repositoryOf(folder, view);
    };
    const repository = find();
    this.#repositories.set(folder.path, repository);
    return repository;
  }

  #trackedIn(repository: Location, view: FileSystemView): Promise<ReadonlySet<string>> {
    const known = this.#tracked.get(repository.path);
    if (known !== undefined) return known;
    const ask = async (): Promise<ReadonlySet<string>> => {
      const inside = this.#files.filter((file) => relativeSegments(repository, file) !== undefined);
      return (await view.trackedByGit?.(repository, inside)) ?? new Set();
    };
    const tracked = ask();
    this.#tracked.set(repository.path, tracked);
    return tracked;
  }
}
