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

/** Number of first bytes that determine the type of a file. */
const headBytes = 256;

/** The circumstances of a call, determined anew for each inspection. */
export interface ApprovalContext {
  readonly situation: Situation & PathContext;
  /** See `workspaceIdentity`. */
  readonly workspace: string;
  /** Changes when the grants of the chat have ended. */
  readonly chat: number;
}

/** One approval that a call needs, and what the person is shown for it. */
export interface ApprovalStep {
  readonly action: Action;
  /** Shown for approvals in the panel. */
  readonly changes: readonly ApprovedChange[];
  /** Shown for approvals in a dialog. */
  readonly subject: ApprovalSubject;
}

/** The result of inspecting a call. */
interface Inspection<Value> {
  readonly context: ApprovalContext;
  readonly steps: readonly ApprovalStep[];
  /** The value that is passed to the effect. */
  readonly value: Value;
}

/** Determines what a call is about; run before and after the decision. */
export type Inspect<Value> = (approvalContext: ApprovalContext) => Promise<Inspection<Value>>;

/** Whether two contexts lead to the same decision. */
export function isSameContext(first: ApprovalContext, second: ApprovalContext): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** Whether a second inspection had the same result as the first. */
export function isSameInspection(first: Inspection<unknown>, second: Inspection<unknown>): boolean {
  const [one, other] = [first, second].map(({ steps }) => steps.map(({ action }) => action));
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A planned file change, inspected. */
interface InspectedChange {
  readonly change: ApprovedChange;
  readonly subject: EditSubject;
}

/** Protected files each need a separate step; all others are approved together. */
function editSteps(
  edits: readonly InspectedChange[],
  situation: Situation,
): readonly ApprovalStep[] {
  const isProtected = ({ subject }: InspectedChange): boolean =>
    editProtection(subject, situation) !== undefined;
  const unprotected = edits.filter((edit) => !isProtected(edit));
  const separate = edits.filter(isProtected).map((edit) => [edit]);
  const groups = unprotected.length === 0 ? separate : [unprotected, ...separate];
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

/** Inspects a path as far as the policy needs it. */
export async function inspectPath(
  path: string,
  pathContext: PathContext,
  view: FileSystemView | undefined,
): Promise<Subject> {
  const target = await resolveTarget(path, pathContext, view);
  return { target, head: await headOf(target, view) };
}

/** Reads the first bytes only if they affect the decision, and never those of a device. */
async function headOf(
  { kind, executable, named, location }: Target,
  view: FileSystemView | undefined,
): Promise<Uint8Array | undefined> {
  if (kind !== 'file' || view === undefined || location.scheme !== 'file') return undefined;
  const decides = executable || mayBeKey(named.path) || mayBeKey(location.path);
  return decides ? view.head(location, headBytes) : undefined;
}

/** What is needed besides a change to determine its effects. */
interface ChangeFacts {
  readonly addsRemoteReference: (before: string, after: string) => boolean;
  /** See `gitFolders`. */
  readonly gitFolders: readonly Location[];
}

/** Adds the effects of a change to the inspected file. */
function inspectChange(
  subject: Subject,
  { before, after }: PlannedChange,
  { addsRemoteReference, gitFolders }: ChangeFacts,
): EditSubject {
  const { location } = subject.target;
  return {
    ...subject,
    fetches: addsRemoteReference(before, after),
    becomesScript: /^\u{feff}?#!/u.test(after),
    ofGit: gitFolders.some((folder) => relativeSegments(folder, location, foldCase) !== undefined),
  };
}

/** What {@link inspectEdit} needs. */
export interface InspectEditOptions {
  /** Undefined without disk access. */
  readonly view: FileSystemView | undefined;
  /** Whether a change makes an editor fetch something (threats: T25). */
  readonly addsRemoteReference: (before: string, after: string) => boolean;
}

/** Inspects the files that a call changes, and whether they still have the expected content. */
export function inspectEdit(
  changes: readonly PlannedChange[],
  { view, addsRemoteReference }: InspectEditOptions,
): Inspect<readonly ApprovedChange[]> {
  // Copied so that exactly what is shown is written, even if the tool modifies its own objects.
  const planned = changes.map(copyOf);
  return async (approvalContext) => {
    const facts = {
      addsRemoteReference,
      gitFolders: await gitFolders(approvalContext.situation, view),
    };
    const edits = await Promise.all(
      planned.map((change) => inspectPlannedChange(change, approvalContext, view, facts)),
    );
    refuseDuplicates(edits);
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
  facts: ChangeFacts,
): Promise<InspectedChange> {
  const subject = await inspectPath(planned.path, situation, view);
  const { target } = subject;
  if (target.kind === 'folder') throw new ToolError(`${target.label} is a folder.`);
  if (!(await planned.isCurrent())) {
    throw new ToolError(`${target.label} has changed since. Read it again, then edit it.`);
  }
  const change = { ...planned, target };
  return { change, subject: inspectChange(subject, planned, facts) };
}

function refuseDuplicates(edits: readonly InspectedChange[]): void {
  edits.forEach(({ change: { target } }, index) => {
    const others = edits.slice(0, index).map(({ change }) => change.target);
    if (others.some((other) => isSameFile(other, target))) {
      throw new ToolError(`${target.label} appears twice. Combine its changes.`);
    }
  });
}

/** Files with different paths may be the same, because of case or hard links. */
function isSameFile(one: Target, other: Target): boolean {
  if (isSameLocation(one.location, other.location)) return true;
  const exist = one.kind === 'file' && other.kind === 'file';
  return exist && one.identity !== '' && one.identity === other.identity;
}

/** Inspects the folder in which a command will really run. */
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
