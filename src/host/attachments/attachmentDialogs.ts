import * as vscode from 'vscode';
import { systemClock, type Clock } from '../../core/support/clock.ts';
import { maxTimesShown, minResponseDelay } from '../approval/approvalDialog.ts';

/** A thing to choose in a list. */
export interface PickItem<T> {
  readonly label: string;
  readonly description?: string;
  readonly icon?: string;
  readonly value: T;
}

/** What attaching asks the person. */
export interface AttachmentDialogs {
  /** A modal question; false for everything but yes. */
  confirm(message: string, detail: string, yes: string): Promise<boolean>;
  /** A modal question with two answers; undefined where it was not answered. */
  decide(message: string, detail: string, yes: string, no: string): Promise<boolean | undefined>;
  /** Undefined where it was left. */
  pick<T>(choices: readonly PickItem<T>[], title: string): Promise<T | undefined>;
  pickSeveral<T>(choices: readonly PickItem<T>[], title: string): Promise<readonly T[]>;
}

/** The dialogs and lists of VS Code's window. */
export const attachmentDialogs: AttachmentDialogs = {
  confirm(message, detail, yes) {
    const options = { modal: true, detail };
    return confirmDeliberately(
      async () => (await vscode.window.showWarningMessage(message, options, yes)) === yes,
      systemClock,
    );
  },
  async decide(message, detail, yes, no) {
    const options = { modal: true, detail };
    const answer = await vscode.window.showInformationMessage(message, options, yes, no);
    return answer === undefined ? undefined : answer === yes;
  },
  async pick(choices, title) {
    const options = { title, matchOnDescription: true };
    return (await vscode.window.showQuickPick(choices.map(itemOf), options))?.value;
  },
  async pickSeveral(choices, title) {
    const options = { title, matchOnDescription: true, canPickMany: true as const };
    const picked = await vscode.window.showQuickPick(choices.map(itemOf), options);
    return (picked ?? []).map(({ value }) => value);
  },
};

function itemOf<T>({ label, description = '', icon, value }: PickItem<T>): {
  readonly label: string;
  readonly description: string;
  readonly value: T;
} {
  return { label: icon === undefined ? label : `$(${icon}) ${label}`, description, value };
}

/**
 * Asks until the answer is no, or a yes of somebody who could have read the question: the key that
 * chose a file in a list may still be down when the dialog comes.
 */
export async function confirmDeliberately(
  ask: () => PromiseLike<boolean>,
  clock: Clock,
): Promise<boolean> {
  for (let shown = 0; shown < maxTimesShown; shown++) {
    const opened = clock.monotonic();
    if (!(await ask())) return false;
    if (clock.monotonic() - opened >= minResponseDelay) return true;
  }
  return false;
}
