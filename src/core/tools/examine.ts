import type { EditSubject, Subject } from './action.ts';
import type { FileSystemView } from './fileSystemView.ts';
import type { PlannedChange } from './gate.ts';
import { fold, segmentsBelow } from './places.ts';
import type { Surroundings } from './requestedPath.ts';
import { resolveTarget } from './resolveTarget.ts';
import { mayBeKey } from './secretFiles.ts';
import type { Location, Target } from './target.ts';

/** So many first bytes tell what a file is. */
const headBytes = 256;

/** Finds out what a path is about, as far as the policy needs it. */
export async function examine(
  path: string,
  surroundings: Surroundings,
  view: FileSystemView | undefined,
): Promise<Subject> {
  const target = await resolveTarget(path, surroundings, view);
  return { target, head: await headOf(target, view) };
}

/** Reads the first bytes only where they decide, and never those of a device. */
async function headOf(
  { kind, executable, named, location }: Target,
  view: FileSystemView | undefined,
): Promise<Uint8Array | undefined> {
  if (kind !== 'file' || view === undefined || location.scheme !== 'file') return undefined;
  const decides = executable || mayBeKey(named.path) || mayBeKey(location.path);
  return decides ? view.head(location, headBytes) : undefined;
}

/** What is known besides a change of what it does to the file. */
export interface ChangeFacts {
  readonly addsRemoteReference: (before: string, after: string) => boolean;
  /** See `gitFolders`. */
  readonly gitFolders: readonly Location[];
}

/** The same for a change, with what it makes of the file. */
export function examineChange(
  subject: Subject,
  { before, after }: PlannedChange,
  { addsRemoteReference, gitFolders }: ChangeFacts,
): EditSubject {
  const { location } = subject.target;
  return {
    ...subject,
    fetches: addsRemoteReference(before, after),
    becomesScript: /^\u{feff}?#!/u.test(after),
    ofGit: gitFolders.some((folder) => segmentsBelow(folder, location, fold) !== undefined),
  };
}
