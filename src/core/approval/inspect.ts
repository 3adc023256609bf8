import { orUndefined } from '../support/background.ts';
import { ToolError } from '../support/toolError.ts';
import { commandFlaw } from '../tools/shellCommands.ts';
import {
  deviceAndInode,
  type FileSystemView,
  isSameIdentity,
  readKnownFile,
} from '../files/disk.ts';
import { GitDirectories, type GitLookups } from '../files/gitDirectories.ts';
import {
  isSameLocation,
  type Location,
  relativeSegments,
  segmentsOf,
  type Target,
  withSegments,
  workspacePath,
} from '../files/places.ts';
import {
  isBroadRoot,
  type PathContext,
  resolveLocation,
  resolveTarget,
} from '../files/resolveTarget.ts';
import {
  addressesByOpening,
  addsAddress,
  type OpenableTarget,
  type OpenedFilesView,
} from './addresses.ts';
import { isDenied } from './deniedPlaces.ts';
import type {
  ApprovalSubject,
  ResolvedChange,
  PlannedChange,
  PlannedCommand,
  PlannedExternalCall,
} from './gate.ts';
import { foldersAround, type GrantHolder } from './grants.ts';
import { type Action, editProtection, type Situation, type Subject } from './policy.ts';
import { mayBeKey } from './secrets.ts';

/** Number of bytes at the start of a file that determine its type. */
const headBytes = 256;

/** The files that the gate looks at. */
export interface GateFiles extends OpenedFilesView, GitLookups {
  /** True for what is in the folder of an allowed skill. Takes a location with links followed. */
  readonly isOfSkill?: (location: Location) => Promise<boolean>;
}

/** The circumstances of a call, determined again for each inspection. */
export interface ApprovalContext extends GrantHolder {
  readonly situation: Situation & PathContext;
  /** Changes when the grants of the chat end. */
  readonly life: string;
}

/** A decision that a call needs, with what is shown to the person. */
export interface ApprovalStep {
  readonly action: Action;
  readonly changes: readonly ResolvedChange[];
  readonly subject: ApprovalSubject;
}

/** The approvals that a call needs, and the argument of its effect. */
interface Inspection<Value> {
  readonly context: ApprovalContext;
  readonly steps: readonly ApprovalStep[];
  readonly value: Value;
}

/** Inspects a call: once before the decision and once after it. */
export type Inspect<Value> = (context: ApprovalContext) => Promise<Inspection<Value>>;

/** True if the circumstances of a call are the same as for the decision. */
export function isSameContext(first: ApprovalContext, second: ApprovalContext): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** True if a second inspection gave the same result. */
export function isSameInspection(first: Inspection<unknown>, second: Inspection<unknown>): boolean {
  const [before, after] = [first, second].map(({ steps }) => steps.map(({ action }) => action));
  return JSON.stringify(before) === JSON.stringify(after);
}

/** True if a path still leads to the same file or folder. */
export function leadsTo(now: Target, before: Target): boolean {
  return (
    isSameLocation(now.location, before.location) && isSameIdentity(now.identity, before.identity)
  );
}

/** Resolves the file or folder at a path, with the facts that the policy needs. */
async function inspectPath(
  path: string,
  situation: PathContext & Situation,
  view: FileSystemView | undefined,
): Promise<Subject> {
  const target = await resolveTarget(path, situation, view, (root) =>
    isBroadRoot(root, situation.home, view),
  );
  const { kind, executable, named, location, identity } = target;
  // The first bytes are read only if they matter, and never those of a device.
  const mayDecide = executable || mayBeKey(named.path) || mayBeKey(location.path);
  const isReadable = kind === 'file' && view !== undefined && location.scheme === 'file';
  const head =
    isReadable && mayDecide
      ? await readKnownFile(view, location, { identity }, headBytes)
      : undefined;
  return { target, head };
}

/**
 * Resolves the file or folder that a call reads, and the addresses in it if VS Code opens it.
 *
 * @param openedAs undefined if the call only reads it
 */
export function inspectRead(
  path: string,
  openedAs: OpenableTarget['openedAs'] | undefined,
  files: GateFiles,
): Inspect<Target> {
  return async (context) => {
    const { situation } = context;
    const subject = await inspectPath(path, situation, files.view);
    const { target } = subject;
    const { inside, kind, location } = target;
    // Nearest first, starting with the target if it is a folder.
    const folders =
      kind === 'folder' ? [location, ...foldersAround(location)] : foldersAround(location);
    const disk = location.scheme === 'file' ? files.view : undefined;
    const around = await Promise.all(
      (inside ? [] : folders).map(async (folder) => {
        const status = await disk?.status(folder);
        return { folder, identity: deviceAndInode(status?.identity ?? '') };
      }),
    );
    const ofSkill = !inside && (await files.isOfSkill?.(location)) === true;
    const read: ApprovalStep = {
      action: { type: 'read', subject, around, ...(ofSkill && { ofSkill }) },
      changes: [],
      subject: { type: 'read', target },
    };
    // Only files can be opened, and denied places can never be allowed.
    const isClosed = kind !== 'file' || isDenied(target, situation.denied);
    const addresses = isClosed ? undefined : await addressesByOpening(target, openedAs, files);
    if (addresses === undefined) return { context, steps: [read], value: target };
    const open = { type: 'open', target, addresses } as const;
    const steps = [read, { action: open, changes: [], subject: open }];
    return { context, steps, value: target };
  };
}

/** Resolves the files that a call changes; throws if one no longer has the expected text. */
export function inspectEdit(
  changes: readonly PlannedChange[],
  lookups: Pick<OpenedFilesView, 'view'> & GitLookups,
): Inspect<readonly ResolvedChange[]> {
  // Copies, so that the displayed text is written even if the tool modifies its objects.
  const copies = changes.map((change): PlannedChange => {
    const { kind, path, before, after } = change;
    return { kind, path, before, after, isCurrent: () => change.isCurrent() };
  });
  return async (context) => {
    const { situation } = context;
    const { view } = lookups;
    const files = await Promise.all(
      copies.map(async (planned) => ({
        planned,
        file: await inspectPath(planned.path, situation, view),
      })),
    );
    const written = files.map(({ file }) => file.target);
    const tracked = await trackedFiles(written, view);
    // Not cached, since files appear meanwhile.
    const isOfGit = async (target: Target): Promise<boolean> => {
      const git = new GitDirectories(situation, lookups);
      const all = written.flatMap(({ named, location }) => [named, location]);
      return (await git.holds(target.location, all)) || git.holds(target.named, all);
    };
    const edits = await Promise.all(
      files.map(async ({ planned, file }) => {
        const { target } = file;
        if (target.kind === 'folder') throw new ToolError(`${target.label} is a folder.`);
        if (!(await planned.isCurrent())) {
          throw new ToolError(`${target.label} has changed since. Read it again, then edit it.`);
        }
        const ofGit = await isOfGit(target);
        const subject = {
          ...file,
          addsAddress: addsAddress(target, planned),
          becomesScript: /^\u{feff}?#!/u.test(planned.after),
          ofGit,
          tracked: tracked.has(target.location.path),
        };
        const isInPlace = async (): Promise<boolean> => {
          const now = await resolveTarget(planned.path, situation, view);
          const isNew = target.kind === 'missing' && isSameLocation(now.location, target.location);
          // Another call or window may have written files that the folder lacked before.
          return (leadsTo(now, target) || isNew) && (ofGit || !(await isOfGit(now)));
        };
        const change: ResolvedChange = { ...planned, target, ofGit, isInPlace };
        return { change, subject };
      }),
    );
    for (const [index, target] of written.entries()) {
      if (written.slice(0, index).some((other) => isSameFile(other, target)))
        throw new ToolError(`${target.label} appears twice. Combine its changes.`);
    }
    // Each protected file is a separate step; all others are decided together.
    const isAlone = ({ subject }: (typeof edits)[number]): boolean =>
      editProtection(subject, situation) !== undefined;
    const together = edits.filter((edit) => !isAlone(edit));
    const groups = [together, ...edits.filter(isAlone).map((edit) => [edit])];
    const steps = groups.flatMap((group): readonly ApprovalStep[] => {
      const [first] = group;
      if (first === undefined) return [];
      const subjects = group.map(({ subject }) => subject);
      return [
        {
          action: { type: 'edit', subjects, of: edits.length },
          changes: group.map(({ change }) => change),
          subject: { type: 'edit', change: first.change },
        },
      ];
    });
    return { context, steps, value: edits.map(({ change }) => change) };
  };
}

/** Paths that differ in case, and hard links, can also be the same file. */
function isSameFile(target: Target, other: Target): boolean {
  if (isSameLocation(target.location, other.location)) return true;
  const exist = target.kind === 'file' && other.kind === 'file';
  return exist && target.identity !== '' && target.identity === other.identity;
}

/** Resolves the folder in which a command runs. */
export function inspectCommand(
  { command, folder, shell }: PlannedCommand,
  view: FileSystemView | undefined,
): Inspect<PlannedCommand & { readonly cwd: Target }> {
  return async (context) => {
    const flaw = commandFlaw(command);
    if (flaw === 'empty') throw new ToolError('The command is empty.');
    if (flaw === 'keys') {
      throw new ToolError('Write the command without control characters or tabs.', 'denied');
    }
    const { folders } = context.situation;
    const [first] = folders;
    if (folder === '' && first === undefined)
      throw new ToolError('No folder is open: name the folder to run in.');
    const path = folder === '' && first !== undefined ? workspacePath(first, [], folders) : folder;
    const { target: cwd } = await inspectPath(path, context.situation, view);
    const run = { type: 'run', command, shell, cwd } as const;
    const value = { command, folder, shell, cwd };
    return { context, steps: [{ action: run, changes: [], subject: run }], value };
  };
}

/** A call of another extension's tool, of which nothing can be looked at. */
export function inspectExternal({
  tool,
  identity,
  input,
}: PlannedExternalCall): Inspect<PlannedExternalCall> {
  const call = { tool, identity, input };
  const action = { type: 'external', tool, identity } as const;
  const steps = [{ action, changes: [], subject: { type: 'external', call } as const }];
  return (context) => Promise.resolve({ context, steps, value: call });
}

/**
 * The paths of the files that an approval of edits in a chat may cover: those that already exist
 * and, in a repository, that Git tracks. A new file can be one that a program looks for and runs,
 * whatever its name, and no list of changes shows what Git doesn't track (threats: class C2). The
 * repository is the innermost one around the file, which is asked once for all its files. Without
 * a local disk, or where it can't be determined, a file isn't tracked.
 */
export async function trackedFiles(
  targets: readonly Target[],
  view: FileSystemView | undefined,
): Promise<ReadonlySet<string>> {
  const tracked = new Set<string>();
  if (view === undefined) return tracked;
  /** The root of the repository by folder; undefined outside of one. */
  const roots = new Map<string, Promise<Location | undefined>>();
  const repositoryOf = (folder: Location): Promise<Location | undefined> => {
    const names = segmentsOf(folder.path);
    const find = async (): Promise<Location | undefined> => {
      const status = await view.status(withSegments(folder, [...names, '.git']));
      if (status !== undefined) return folder;
      return names.length === 0
        ? undefined
        : repositoryOf(withSegments(folder, names.slice(0, -1)));
    };
    const root = roots.get(folder.path) ?? find();
    roots.set(folder.path, root);
    return root;
  };
  const inRepositories = new Map<Location, Location[]>();
  for (const { kind, location } of targets) {
    if (kind !== 'file' || location.scheme !== 'file') continue;
    const folder = withSegments(location, segmentsOf(location.path).slice(0, -1));
    const found = await orUndefined(repositoryOf(folder).then((root) => ({ root })));
    if (found === undefined) continue;
    if (found.root === undefined) tracked.add(location.path);
    else inRepositories.set(found.root, [...(inRepositories.get(found.root) ?? []), location]);
  }
  for (const [repository, files] of inRepositories) {
    const asked = view.trackedByGit?.(repository, files);
    for (const path of (asked && (await orUndefined(asked))) ?? []) tracked.add(path);
  }
  return tracked;
}

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

export function approvedPlace({ target, ofGit }: ResolvedChange): ApprovedPlace {
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
        // macOS may return names in another Unicode normalization than they were written in.
        const isSame = approved.every((edit) => {
          const below = relativeSegments(edit.location, now.location, (name) =>
            name.normalize('NFC'),
          );
          return below?.length === 0;
        });
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
