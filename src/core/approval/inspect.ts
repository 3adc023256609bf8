import { ToolError } from '../support/toolError.ts';
import { commandFlaw } from '../terminal/shellCommands.ts';
import { isBroadRoot } from '../workspace/broadRoots.ts';
import {
  deviceAndInode,
  isSameIdentity,
  readKnownFile,
  type FileSystemView,
} from '../workspace/disk.ts';
import { GitDirectories, type GitLookups } from '../workspace/gitDirectories.ts';
import { isSameLocation, workspacePath, type Location, type Target } from '../workspace/places.ts';
import type { PathContext } from '../workspace/requestedPath.ts';
import { resolveTarget } from '../workspace/resolveTarget.ts';
import type { Action, EditSubject, Situation, Subject } from './action.ts';
import {
  addressesByOpening,
  addsAddress,
  type OpenableTarget,
  type OpenedFilesView,
} from './addresses.ts';
import type { ApprovalSubject, ApprovedChange, PlannedChange, PlannedCommand } from './gate.ts';
import { foldersAround, type GrantHolder, type KnownFolder } from './grantScope.ts';
import { isDenied } from './deniedPlaces.ts';
import { editProtection } from './policy.ts';
import { mayBeKey } from './secrets.ts';
import { TrackedFiles } from './trackedFiles.ts';

/** Number of bytes at the start of a file that determine its type. */
const headBytes = 256;

/** The circumstances of a call, determined again for each inspection. */
export interface ApprovalContext extends GrantHolder {
  readonly situation: Situation & PathContext;
  /** Changes when the grants of the chat end. */
  readonly life: string;
}

/** A decision that a call needs, with what is shown to the person. */
export interface ApprovalStep {
  readonly action: Action;
  readonly changes: readonly ApprovedChange[];
  readonly subject: ApprovalSubject;
}

/** The approvals that a call needs, and the argument of its effect. */
interface Inspection<Value> {
  readonly context: ApprovalContext;
  readonly steps: readonly ApprovalStep[];
  readonly value: Value;
}

/** Inspects a call: once before the decision and once after it. */
export type Inspect<Value> = (approvalContext: ApprovalContext) => Promise<Inspection<Value>>;

/** True if the circumstances of a call are the same as for the decision. */
export function isSameContext(first: ApprovalContext, second: ApprovalContext): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** True if a second inspection gave the same result. */
export function isSameInspection(first: Inspection<unknown>, second: Inspection<unknown>): boolean {
  const [before, after] = [first, second].map(({ steps }) => steps.map(({ action }) => action));
  return JSON.stringify(before) === JSON.stringify(after);
}

/** Resolves the file or folder at a path, with the facts that the policy needs. */
async function inspectPath(
  path: string,
  situation: PathContext & Situation,
  view: FileSystemView | undefined,
): Promise<Subject> {
  const isExcluded = (root: Location): Promise<boolean> => isBroadRoot(root, situation.home, view);
  const target = await resolveTarget(path, situation, view, isExcluded);
  return { target, head: await headOf(target, view) };
}

/**
 * Resolves the file or folder that a call reads, and the addresses in it if VS Code opens it.
 *
 * @param openedAs undefined if the call only reads it
 */
export function inspectRead(
  path: string,
  openedAs: OpenableTarget['openedAs'] | undefined,
  files: OpenedFilesView,
): Inspect<Target> {
  return async (approvalContext) => {
    const { situation } = approvalContext;
    const subject = await inspectPath(path, situation, files.view);
    const { target } = subject;
    const around = target.inside ? [] : await foldersOf(target, files.view);
    const ofSkill = !target.inside && (await files.isOfSkill?.(target.location)) === true;
    const read: ApprovalStep = {
      action: { type: 'read', subject, around, ...(ofSkill && { ofSkill }) },
      changes: [],
      subject: { type: 'read', target },
    };
    // Only files can be opened, and denied places can never be allowed.
    const isClosed = target.kind !== 'file' || isDenied(target, situation.denied);
    const addresses = isClosed ? undefined : await addressesByOpening(target, openedAs, files);
    if (addresses === undefined) return { context: approvalContext, steps: [read], value: target };
    const open = { type: 'open', target, addresses } as const;
    const steps = [read, { action: open, changes: [], subject: open }];
    return { context: approvalContext, steps, value: target };
  };
}

/** Folders around a target, nearest first, starting with the target if it is a folder. */
function foldersOf(
  { kind, location }: Target,
  view: FileSystemView | undefined,
): Promise<readonly KnownFolder[]> {
  const around = foldersAround(location);
  const disk = location.scheme === 'file' ? view : undefined;
  return Promise.all(
    (kind === 'folder' ? [location, ...around] : around).map(async (folder) => {
      const status = await disk?.status(folder);
      return { folder, identity: deviceAndInode(status?.identity ?? '') };
    }),
  );
}

/** Resolves the files that a call changes; throws if one no longer has the expected text. */
export function inspectEdit(
  changes: readonly PlannedChange[],
  lookups: Pick<OpenedFilesView, 'view'> & GitLookups,
): Inspect<readonly ApprovedChange[]> {
  // Copies, so that the displayed text is written even if the tool modifies its objects.
  const planned = changes.map(copyOf);
  return async (approvalContext) => {
    const { situation } = approvalContext;
    const { view } = lookups;
    const files = await Promise.all(
      planned.map(async (change) => ({
        planned: change,
        subject: await inspectPath(change.path, situation, view),
      })),
    );
    const written = files.map(({ subject }) => subject.target);
    const isOfGit = async (target: Target): Promise<boolean> => {
      const git = new GitDirectories(situation, lookups);
      const all = written.flatMap(({ named, location }) => [named, location]);
      return (await git.holds(target.location, all)) || git.holds(target.named, all);
    };
    const disk = { view, isOfGit, tracked: new TrackedFiles(view, written) };
    const edits = await Promise.all(
      files.map((file) => inspectPlannedChange(file, situation, disk)),
    );
    refuseTwice(edits);
    const steps = editSteps(edits, situation);
    return { context: approvalContext, steps, value: edits.map(({ change }) => change) };
  };
}

/** Resolves the folder in which a command runs. */
export function inspectCommand(
  { command, folder, shell }: PlannedCommand,
  view: FileSystemView | undefined,
): Inspect<PlannedCommand & { readonly cwd: Target }> {
  return async (approvalContext) => {
    refuseFlaws(command);
    const path = folder === '' ? firstFolder(approvalContext) : folder;
    const { target: cwd } = await inspectPath(path, approvalContext.situation, view);
    const run = { type: 'run', command, shell, cwd } as const;
    const value = { command, folder, shell, cwd };
    return { context: approvalContext, steps: [{ action: run, changes: [], subject: run }], value };
  };
}

/** Reads the first bytes only if they matter, and never those of a device. */
async function headOf(
  { kind, executable, named, location, identity }: Target,
  view: FileSystemView | undefined,
): Promise<Uint8Array | undefined> {
  if (kind !== 'file' || view === undefined || location.scheme !== 'file') return undefined;
  const decides = executable || mayBeKey(named.path) || mayBeKey(location.path);
  return decides ? readKnownFile(view, location, { identity }, headBytes) : undefined;
}

/** Facts on the disk that the inspection of an edit needs. */
interface DiskFacts extends Pick<OpenedFilesView, 'view'> {
  /** True if the target is in a Git directory once all files of the call are written. Not cached. */
  readonly isOfGit: (target: Target) => Promise<boolean>;
  readonly tracked: TrackedFiles;
}

/** A change of one file, with the facts that the policy needs. */
interface InspectedChange {
  readonly change: ApprovedChange;
  readonly subject: EditSubject;
}

/** Each protected file is a separate step; all others are decided together. */
function editSteps(
  edits: readonly InspectedChange[],
  situation: Situation,
): readonly ApprovalStep[] {
  const isAlone = ({ subject }: InspectedChange): boolean =>
    editProtection(subject, situation) !== undefined;
  const together = edits.filter((edit) => !isAlone(edit));
  const alone = edits.filter(isAlone).map((edit) => [edit]);
  const groups = together.length === 0 ? alone : [together, ...alone];
  return groups.flatMap((group) => stepOf(group, edits.length) ?? []);
}

function stepOf(group: readonly InspectedChange[], of: number): ApprovalStep | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const subjects = group.map(({ subject }) => subject);
  return {
    action: { type: 'edit', subjects, of },
    changes: group.map(({ change }) => change),
    subject: { type: 'edit', change: first.change },
  };
}

function copyOf(change: PlannedChange): PlannedChange {
  const { kind, path, before, after } = change;
  return { kind, path, before, after, isCurrent: () => change.isCurrent() };
}

async function inspectPlannedChange(
  { planned, subject: file }: { readonly planned: PlannedChange; readonly subject: Subject },
  situation: ApprovalContext['situation'],
  disk: DiskFacts,
): Promise<InspectedChange> {
  const { target } = file;
  if (target.kind === 'folder') throw new ToolError(`${target.label} is a folder.`);
  if (!(await planned.isCurrent())) {
    throw new ToolError(`${target.label} has changed since. Read it again, then edit it.`);
  }
  const ofGit = await disk.isOfGit(target);
  const subject = {
    ...file,
    addsAddress: addsAddress(target, planned),
    becomesScript: /^\u{feff}?#!/u.test(planned.after),
    ofGit,
    tracked: await disk.tracked.has(target),
  };
  const isInPlace = async (): Promise<boolean> => {
    const now = await resolveTarget(planned.path, situation, disk.view);
    const isSame = leadsTo(now, target) || (target.kind === 'missing' && isSamePlace(now, target));
    // Another call or window may have written files that the folder lacked before.
    return isSame && (ofGit || !(await disk.isOfGit(now)));
  };
  return { change: { ...planned, target, ofGit, isInPlace }, subject };
}

/** True if a path still leads to the same file or folder. */
export function leadsTo(now: Target, before: Target): boolean {
  return isSamePlace(now, before) && isSameIdentity(now.identity, before.identity);
}

function isSamePlace({ location }: Target, before: Target): boolean {
  return isSameLocation(location, before.location);
}

function refuseTwice(edits: readonly InspectedChange[]): void {
  edits.forEach(({ change: { target } }, index) => {
    const others = edits.slice(0, index).map(({ change }) => change.target);
    if (others.some((other) => isSameFile(other, target))) {
      throw new ToolError(`${target.label} appears twice. Combine its changes.`);
    }
  });
}

/** Paths that differ in case, and hard links, can also be the same file. */
function isSameFile(target: Target, other: Target): boolean {
  if (isSameLocation(target.location, other.location)) return true;
  const exist = target.kind === 'file' && other.kind === 'file';
  return exist && target.identity !== '' && target.identity === other.identity;
}

function refuseFlaws(command: string): void {
  const flaw = commandFlaw(command);
  if (flaw === 'empty') throw new ToolError('The command is empty.');
  if (flaw === 'keys') {
    throw new ToolError('Write the command without control characters or tabs.', 'denied');
  }
}

function firstFolder({ situation: { folders } }: ApprovalContext): string {
  const [first] = folders;
  if (first === undefined) throw new ToolError('No folder is open: name the folder to run in.');
  return workspacePath(first, [], folders);
}
