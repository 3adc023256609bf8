import type { Situation, Subject, Verdict } from './action.ts';
import { foldersAround, type GrantScope, type Offer } from './grantScope.ts';
import { fold, isRoot, segmentsBelow } from './places.ts';
import { isSecret } from './secretFiles.ts';
import type { Location, Target } from './target.ts';

/** Reading: free inside, asked where it is a secret or lies outside (classes A and B). */
export function verdictOfRead({ target, head }: Subject, situation: Situation): Verdict {
  const secret = isSecret(target, head);
  if (target.inside && !secret) return { type: 'allow' };
  const file: GrantScope = { type: 'file', file: target.location };
  const folders = secret ? [] : offeredFolder(target, situation);
  // What lies in a folder is allowed with it, and the folder itself by its own name.
  const scopes = target.kind === 'folder' ? folders : [file, ...folders];
  const offers = scopes.map((scope): Offer => ({ lifetime: 'chat', scope }));
  return { type: 'ask', by: 'dialog', reason: secret ? 'secret' : 'outside', offers };
}

/** The folder of a file outside, unless that is too much to allow at once. */
function offeredFolder(target: Target, { folders, home }: Situation): readonly GrantScope[] {
  const folder = target.kind === 'folder' ? target.location : foldersAround(target.location)[0];
  if (folder === undefined || isRoot(folder)) return [];
  const holds = (place: Location): boolean => segmentsBelow(folder, place, fold) !== undefined;
  if (folders.some(({ location }) => holds(location))) return [];
  if (home !== undefined && holds(home)) return [];
  return [{ type: 'folder', folder }];
}
