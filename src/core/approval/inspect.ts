import { ToolError } from '../support/toolError.ts';
import { commandFlaw } from '../terminal/shellCommands.ts';
import { gitFolders, type FileSystemView } from '../workspace/disk.ts';
import {
  foldCase,
  relativeSegments,
  isSameLocation,
  workspacePath,
  type Location,
  type Target,
} from '../workspace/places.ts';
import type { PathContext } from '../workspace/requestedPath.ts';
import { resolveTarget } from '../workspace/resolveTarget.ts';
import type { Action, EditSubject, Situation, Subject } from './action.ts';
import type { ApprovalSubject, ApprovedChange, PlannedChange, PlannedCommand } from './gate.ts';
import { editProtection } from './policy.ts';
import { mayBeKey } from './protectedFiles.ts';
import { addsRemoteReference } from './remoteReference.ts';

/** What the gate finds around a call, anew each time that it looks. */
export interface ApprovalContext {
  readonly situation: Situation & PathContext;
  /** See `workspaceIdentity`. */
  readonly workspace: string;
  /** Another number means that what the chat allowed has ended. */
  readonly chat: number;
}

/** One decision that a call needs, and what a person is shown for it. */
export interface ApprovalStep {
  readonly action: Action;
  /** For a question of the panel. */
  readonly changes: readonly ApprovedChange[];
  /** For a question of a dialog. */
  readonly subject: ApprovalSubject;
}

/** What a call turned out to be about. */
interface Inspection<Value> {
  readonly context: ApprovalContext;
  readonly steps: readonly ApprovalStep[];
  /** What the effect gets. */
  readonly value: Value;
}

/** Finds out what a call is about; done once before the decision, and once after it. */
export type Inspect<Value> = (approvalContext: ApprovalContext) => Promise<Inspection<Value>>;

/** Whether the decision would rest on the same around the call. */
export function isSameContext(first: ApprovalContext, second: ApprovalContext): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** Whether a second look found the same as the first. */
export function isSameInspection(first: Inspection<unknown>, second: Inspection<unknown>): boolean {
  const [one, other] = [first, second].map(({ steps }) => steps.map(({ action }) => action));
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A file that a call changes, examined. */
interface InspectedChange {
  readonly change: ApprovedChange;
  readonly subject: EditSubject;
}

/** Protected files each make a step of their own; the others are decided together. */
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

/** So many first bytes tell what a file is. */
const headBytes = 256;

/** Finds out what a path is about, as far as the policy needs it. */
export async function inspectPath(
  path: string,
  pathContext: PathContext,
  view: FileSystemView | undefined,
): Promise<Subject> {
  const target = await resolveTarget(path, pathContext, view);
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

/**
 * The same for a change, with what it makes of the file.
 * @param folders see `gitFolders`
 */
function inspectChange(
  subject: Subject,
  { before, after }: PlannedChange,
  folders: readonly Location[],
): EditSubject {
  const { location } = subject.target;
  return {
    ...subject,
    fetches: addsRemoteReference(before, after),
    becomesScript: /^\u{feff}?#!/u.test(after),
    ofGit: folders.some((folder) => relativeSegments(folder, location, foldCase) !== undefined),
  };
}

/**
 * Finds out which files a call changes, and whether they still are what it took them for.
 * @param view undefined where there is no disk to look at
 */
export function inspectEdit(
  changes: readonly PlannedChange[],
  view: FileSystemView | undefined,
): Inspect<readonly ApprovedChange[]> {
  // What was shown is what is written, whatever becomes of the tool's own objects meanwhile.
  const planned = changes.map(copyOf);
  return async (approvalContext) => {
    const folders = await gitFolders(approvalContext.situation, view);
    const edits = await Promise.all(
      planned.map((change) => inspectPlannedChange(change, approvalContext, view, folders)),
    );
    refuseTwice(edits);
    const steps = editSteps(edits, approvalContext.situation);
    return { context: approvalContext, steps, value: edits.map(({ change }) => change) };
  };
}

function copyOf(change: PlannedChange): PlannedChange {
  const { kind, path, before, after } = change;
  return { kind, path, before, after, isCurrent: () => change.isCurrent() };
}

async function inspectPlannedChange(
  planned: PlannedChange,
  { situation }: ApprovalContext,
  view: FileSystemView | undefined,
  folders: readonly Location[],
): Promise<InspectedChange> {
  const subject = await inspectPath(planned.path, situation, view);
  const { target } = subject;
  if (target.kind === 'folder') throw new ToolError(`${target.label} is a folder.`);
  if (!(await planned.isCurrent())) {
    throw new ToolError(`${target.label} has changed since. Read it again, then edit it.`);
  }
  const change = { ...planned, target };
  return { change, subject: inspectChange(subject, planned, folders) };
}

function refuseTwice(edits: readonly InspectedChange[]): void {
  edits.forEach(({ change: { target } }, index) => {
    const others = edits.slice(0, index).map(({ change }) => change.target);
    if (others.some((other) => isSameFile(other, target))) {
      throw new ToolError(`${target.label} appears twice. Combine its changes.`);
    }
  });
}

/** By another case, or another name on the disk, it may be the same file too. */
function isSameFile(one: Target, other: Target): boolean {
  if (isSameLocation(one.location, other.location)) return true;
  const exist = one.kind === 'file' && other.kind === 'file';
  return exist && one.identity !== '' && one.identity === other.identity;
}

/** Finds out in which folder a command really runs. */
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
