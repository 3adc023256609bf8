import type { Action, EditSubject, Situation } from './action.ts';
import { protectionOf } from './editPolicy.ts';
import type { DialogSubject } from './approver.ts';
import type { ApprovedChange } from './gate.ts';
import type { Surroundings } from './requestedPath.ts';

/** What the gate finds around a call, anew each time that it looks. */
export interface Scene {
  readonly situation: Situation & Surroundings;
  /** See `workspaceIdentity`. */
  readonly workspace: string;
  /** Another number means that what the chat allowed has ended. */
  readonly chat: number;
}

/** One decision that a call needs, and what a person is shown for it. */
export interface Step {
  readonly action: Action;
  /** For a question of the panel. */
  readonly changes: readonly ApprovedChange[];
  /** For a question of a dialog. */
  readonly subject: DialogSubject;
}

/** What a call turned out to be about. */
export interface Passage<Value> {
  readonly scene: Scene;
  readonly steps: readonly Step[];
  /** What the effect gets. */
  readonly value: Value;
}

/** Finds out what a call is about; done once before the decision, and once after it. */
export type Look<Value> = (scene: Scene) => Promise<Passage<Value>>;

/** Whether the decision would rest on the same around the call. */
export function isSameScene(first: Scene, second: Scene): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/** Whether a second look found the same as the first. */
export function isSamePassage(first: Passage<unknown>, second: Passage<unknown>): boolean {
  const [one, other] = [first, second].map(({ steps }) => steps.map(({ action }) => action));
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A file that a call changes, examined. */
export interface ExaminedChange {
  readonly change: ApprovedChange;
  readonly subject: EditSubject;
}

/** Protected files each make a step of their own; the others are decided together. */
export function stepsOfEdit(
  edits: readonly ExaminedChange[],
  situation: Situation,
): readonly Step[] {
  const isAlone = ({ subject }: ExaminedChange): boolean =>
    protectionOf(subject, situation) !== undefined;
  const together = edits.filter((edit) => !isAlone(edit));
  const alone = edits.filter(isAlone).map((edit) => [edit]);
  const groups = together.length === 0 ? alone : [together, ...alone];
  return groups.flatMap((group) => stepOf(group, edits.length) ?? []);
}

function stepOf(group: readonly ExaminedChange[], of: number): Step | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const subjects = group.map(({ subject }) => subject);
  return {
    action: { type: 'edit', subjects, of },
    changes: group.map(({ change }) => change),
    subject: { type: 'edit', change: first.change },
  };
}
