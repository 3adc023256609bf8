import type { Action, AskReason, EditSubject, Situation, Verdict } from './action.ts';
import { isWithinAny } from './deniedPlaces.ts';
import type { Offer } from './grantScope.ts';
import { hasProtectedName, startsAsProgram } from './protectedFiles.ts';

/** More files in one call are asked each time. */
const mostGrantedFiles = 20;

/** Changing files: asked in the panel, and protected ones by themselves (classes C and D). */
export function verdictOfEdit(
  { subjects, of }: Extract<Action, { type: 'edit' }>,
  situation: Situation,
): Verdict {
  const reasons = subjects.map((subject) => protectionOf(subject, situation));
  const reason = reasons.find((found) => found !== undefined);
  if (reason !== undefined && subjects.length > 1) {
    return { type: 'deny', words: 'Change protected files one by one.' };
  }
  if (reason !== undefined) return { type: 'ask', by: 'dialog', reason, offers: [] };
  // Where links cannot be checked, each edit is looked at.
  const sure = subjects.every(({ target }) => target.identity !== '') && of <= mostGrantedFiles;
  const offers: readonly Offer[] = sure ? [{ lifetime: 'chat', scope: { type: 'edits' } }] : [];
  return { type: 'ask', by: 'panel', reason: 'unprotected', offers };
}

/** Why an edit of the file is asked in a dialog of its own; undefined where it is not. */
export function protectionOf(
  { target, head, fetches, becomesScript, ofGit }: EditSubject,
  { home, linkedFromHome }: Situation,
): AskReason | undefined {
  if (!target.inside) return 'outside';
  const names = [target.named, target.location];
  if (names.some((name) => isWithinAny(name, linkedFromHome))) return 'protected';
  if (ofGit || hasProtectedName(target, home)) return 'protected';
  const isProgram = becomesScript || head === undefined || startsAsProgram(head);
  if (target.executable && isProgram) return 'protected';
  // Nobody knows what else has another name of the same file.
  if (target.hardLinks > 1) return 'hard-links';
  return fetches ? 'fetches' : undefined;
}
