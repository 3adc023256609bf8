import { examine, examineChange, type ChangeFacts } from './examine.ts';
import type { FileSystemView } from './fileSystemView.ts';
import type { ApprovedChange, PlannedChange } from './gate.ts';
import { gitFolders } from './gitFolders.ts';
import { stepsOfEdit, type ExaminedChange, type Look, type Scene } from './passage.ts';
import { isSamePlace } from './places.ts';
import type { Target } from './target.ts';
import { ToolError } from './tool.ts';

export interface EditNeeds {
  /** Undefined where there is no disk to look at. */
  readonly view: FileSystemView | undefined;
  /** Whether a change makes an editor fetch something (threats: T25). */
  readonly addsRemoteReference: (before: string, after: string) => boolean;
}

/** Finds out which files a call changes, and whether they still are what it took them for. */
export function lookAtEdit(
  changes: readonly PlannedChange[],
  { view, addsRemoteReference }: EditNeeds,
): Look<readonly ApprovedChange[]> {
  // What was shown is what is written, whatever becomes of the tool's own objects meanwhile.
  const planned = changes.map(copyOf);
  return async (scene) => {
    const facts = { addsRemoteReference, gitFolders: await gitFolders(scene.situation, view) };
    const edits = await Promise.all(
      planned.map((change) => examineEdit(change, scene, view, facts)),
    );
    refuseTwice(edits);
    const steps = stepsOfEdit(edits, scene.situation);
    return { scene, steps, value: edits.map(({ change }) => change) };
  };
}

function copyOf(change: PlannedChange): PlannedChange {
  const { kind, path, before, after } = change;
  return { kind, path, before, after, isCurrent: () => change.isCurrent() };
}

async function examineEdit(
  planned: PlannedChange,
  { situation }: Scene,
  view: FileSystemView | undefined,
  facts: ChangeFacts,
): Promise<ExaminedChange> {
  const subject = await examine(planned.path, situation, view);
  const { target } = subject;
  if (target.kind === 'folder') throw new ToolError(`${target.label} is a folder.`);
  if (!(await planned.isCurrent())) {
    throw new ToolError(`${target.label} has changed since. Read it again, then edit it.`);
  }
  const change = { ...planned, target };
  return { change, subject: examineChange(subject, planned, facts) };
}

function refuseTwice(edits: readonly ExaminedChange[]): void {
  edits.forEach(({ change: { target } }, index) => {
    const others = edits.slice(0, index).map(({ change }) => change.target);
    if (others.some((other) => isSameFile(other, target))) {
      throw new ToolError(`${target.label} is there twice. Put its changes into one.`);
    }
  });
}

/** By another case, or another name on the disk, it may be the same file too. */
function isSameFile(one: Target, other: Target): boolean {
  if (isSamePlace(one.location, other.location)) return true;
  const exist = one.kind === 'file' && other.kind === 'file';
  return exist && one.identity !== '' && one.identity === other.identity;
}
