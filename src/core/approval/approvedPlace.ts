import { GitDirectories, type GitLookups } from '../workspace/gitDirectories.ts';
import { relativeSegments, type Location } from '../workspace/places.ts';
import type { PathContext } from '../workspace/requestedPath.ts';
import { resolveLocation } from '../workspace/resolveTarget.ts';
import type { ApprovedChange } from './gate.ts';

/** The location for which an edit was approved, and the file's properties at that time. */
export interface ApprovedPlace {
  /** The location with links followed. */
  readonly location: Location;
  readonly ofGit: boolean;
  /** True if the file had other names on the disk. */
  readonly hasHardLinks: boolean;
}

/** A file that is about to be written again, without another approval. */
export interface PlacedFile {
  /** The location as it was written, links included. */
  readonly location: Location;
  /** One entry per edit of the file. */
  readonly approved: readonly ApprovedPlace[];
  /** True if the file is only removed, which can't make its folder a Git directory. */
  readonly isRemoved: boolean;
}

export function approvedPlace({ target, ofGit }: ApprovedChange): ApprovedPlace {
  return { location: target.location, ofGit, hasHardLinks: target.hardLinks > 1 };
}

/**
 * For each file, true if it is still where its edits were approved: no link leads elsewhere, and it
 * isn't more protected. A file that can't be checked counts as moved (threats: T16, T22).
 */
export async function findInPlace(
  files: readonly PlacedFile[],
  context: PathContext,
  lookups: GitLookups,
): Promise<readonly boolean[]> {
  const git = new GitDirectories(context, lookups);
  const written = files.flatMap(({ location, isRemoved }) => (isRemoved ? [] : location));
  return Promise.all(
    files.map(async ({ location, approved, isRemoved }) => {
      try {
        const now = await resolveLocation(location, lookups.view);
        const isSame = approved.every((edit) => isSameInUnicode(edit.location, now.location));
        if (!isSame || now.kind === 'folder' || now.kind === 'special') return false;
        if (now.hardLinks > 1 && !approved.some((edit) => edit.hasHardLinks)) return false;
        if (isRemoved || approved.some((edit) => edit.ofGit)) return true;
        const all = [...written, now.location];
        return !(await git.holds(now.location, all)) && !(await git.holds(location, all));
      } catch {
        return false;
      }
    }),
  );
}

/** macOS may return names in another Unicode normalization than they were written in. */
function isSameInUnicode(location: Location, other: Location): boolean {
  return relativeSegments(location, other, (name) => name.normalize('NFC'))?.length === 0;
}
