import {
  foldCase,
  isRoot,
  relativeSegments,
  type Target,
  type Location,
} from '../workspace/places.ts';
import type { Action, FindGrant, Situation, Verdict, AskReason, EditSubject } from './action.ts';
import { isDenied, isWithinAny } from './deniedPlaces.ts';
import {
  isRepeatable,
  type CommandScope,
  type GrantScope,
  type GrantOffer,
  type KnownFolder,
} from './grantScope.ts';
import { hasProtectedName, startsAsProgram } from './protectedFiles.ts';
import { isSecret } from './secrets.ts';
import { isToolFile } from './toolFiles.ts';

/** Calls that change more files than this always require approval. */
const maxGrantedFiles = 20;

/**
 * The approval policy (threats). A pure function: the same action in the same situation gives the
 * same verdict.
 */
export function evaluatePolicy(action: Action, situation: Situation, find: FindGrant): Verdict {
  const refusal = refusalOf(action, situation);
  if (refusal !== undefined) return { type: 'deny', words: refusal };
  const verdict = defaultVerdict(action, situation);
  if (verdict.type !== 'ask' || situation.askAll) return tightened(verdict, situation);
  if (!situation.takesGrants) return { ...verdict, offers: [] };
  const offers = verdict.offers.filter((offer) => !isSuspended(offer, situation));
  const grant = withEnclosingFolders(offers, action)
    .map(find)
    .find((result) => result !== undefined);
  return grant === undefined ? { ...verdict, offers } : { type: 'allow', grant };
}

function tightened(verdict: Verdict, { askAll }: Situation): Verdict {
  if (!askAll || verdict.type === 'deny') return verdict;
  if (verdict.type === 'ask') return { ...verdict, offers: [] };
  return { type: 'ask', by: 'dialog', reason: 'ask-all', offers: [] };
}

/** Explains to the model why no tool works. */
export const untrustedWorkspace = 'The person does not trust this workspace, so no tool runs here.';

/** The reason why an action can't be allowed at all; undefined if it can. */
function refusalOf(action: Action, { trusted, denied }: Situation): string | undefined {
  if (!trusted) return untrustedWorkspace;
  for (const target of targetsOf(action)) {
    if (isDenied(target, denied)) {
      return `Tools cannot access ${target.label}. Ask the person to attach what is needed from it.`;
    }
    if (target.kind === 'special') return `${target.label} is not a file or folder.`;
  }
  return action.type === 'run' ? refusalOfRun(action.cwd) : undefined;
}

function refusalOfRun(cwd: Target): string | undefined {
  if (cwd.identity === '') return 'Commands cannot run here.';
  return cwd.kind === 'folder' ? undefined : `${cwd.label} is not a folder.`;
}

function targetsOf(action: Action): readonly Target[] {
  switch (action.type) {
    case 'read':
      return [action.subject.target];
    case 'open':
      return [action.target];
    case 'edit':
      return action.subjects.map(({ target }) => target);
    case 'run':
      return [action.cwd];
    case 'external':
      return [];
  }
}

function defaultVerdict(action: Action, situation: Situation): Verdict {
  switch (action.type) {
    case 'read':
      return readVerdict(action, situation);
    case 'open':
      return { type: 'ask', by: 'dialog', reason: 'addresses', offers: [] };
    case 'edit':
      return editVerdict(action, situation);
    case 'run':
      return { type: 'ask', by: 'dialog', reason: 'run', offers: offersOfRun(action, situation) };
    case 'external': {
      const { tool, identity } = action;
      const scope: GrantScope = { type: 'tool', tool, identity };
      return {
        type: 'ask',
        by: 'dialog',
        reason: 'external',
        offers: [{ lifetime: 'chat', scope }],
      };
    }
  }
}

/** Adds the parents of offered folders, since a grant for any of them applies too. */
function withEnclosingFolders(
  offers: readonly GrantOffer[],
  action: Action,
): readonly GrantOffer[] {
  if (action.type !== 'read' || offers.every(({ scope }) => scope.type !== 'folder')) return offers;
  const [, ...enclosing] = action.around;
  const more = enclosing.map((folder): GrantOffer => ({
    lifetime: 'chat',
    scope: { type: 'folder', ...folder },
  }));
  return [...offers, ...more];
}

function offersOfRun(
  { command, cwd, shell }: Extract<Action, { type: 'run' }>,
  { storesGrants }: Situation,
): readonly GrantOffer[] {
  if (!isRepeatable(command) || !cwd.inside) return [];
  const scope: CommandScope = { type: 'command', command, folder: cwd.location, shell };
  const stored: readonly GrantOffer[] = storesGrants ? [{ lifetime: 'workspace', scope }] : [];
  return [{ lifetime: 'chat', scope }, ...stored];
}

/**
 * Grants that could be misused to send data out are suspended once unchecked text is in the chat
 * (threats: T38).
 */
function isSuspended({ lifetime, scope }: GrantOffer, { tainted }: Situation): boolean {
  return tainted && lifetime === 'chat' && (scope.type === 'command' || scope.type === 'tool');
}

/**
 * Changing files: approved in the panel; protected ones separately in a dialog (classes C, C2 and D).
 */
function editVerdict(
  { subjects, of }: Extract<Action, { type: 'edit' }>,
  situation: Situation,
): Verdict {
  const reasons = subjects.map((subject) => editProtection(subject, situation));
  const reason = reasons.find((result) => result !== undefined);
  if (reason !== undefined && subjects.length > 1) {
    return { type: 'deny', words: 'Change protected files one by one.' };
  }
  if (reason !== undefined) return { type: 'ask', by: 'dialog', reason, offers: [] };
  const canBeGranted =
    subjects.every((subject) => isGrantable(subject, situation)) && of <= maxGrantedFiles;
  const offers: readonly GrantOffer[] = canBeGranted
    ? [{ lifetime: 'chat', scope: { type: 'edits' } }]
    : [];
  const isUntracked = subjects.some(({ target, tracked }) => !tracked && target.identity !== '');
  return { type: 'ask', by: 'panel', reason: isUntracked ? 'untracked' : 'unprotected', offers };
}

/**
 * True if an approval of edits covers the file. It covers existing files that Git tracks, or that
 * are in no repository, and none that tools run, no new addresses (class C2), and no locations whose
 * links can't be checked.
 */
function isGrantable(
  { target, tracked, addsAddress }: EditSubject,
  { folders }: Situation,
): boolean {
  return target.identity !== '' && tracked && !addsAddress && !isToolFile(target, folders);
}

/** The reason why an edit of the file needs a separate dialog; undefined if it doesn't. */
export function editProtection(
  { target, head, becomesScript, ofGit }: EditSubject,
  { home, linkedFromHome }: Situation,
): AskReason | undefined {
  if (!target.inside) return 'outside';
  const names = [target.named, target.location];
  if (names.some((name) => isWithinAny(name, linkedFromHome))) return 'protected';
  if (ofGit || hasProtectedName(target, home)) return 'protected';
  const isProgram = becomesScript || head === undefined || startsAsProgram(head);
  if (target.executable && isProgram) return 'protected';
  // The other names of the same file are unknown.
  return target.hardLinks > 1 ? 'hard-links' : undefined;
}

/**
 * Reading: allowed inside the workspace and in allowed skills; requires approval for secrets and
 * elsewhere (classes A and B).
 */
function readVerdict(
  { subject: { target, head }, around, ofSkill }: Extract<Action, { type: 'read' }>,
  situation: Situation,
): Verdict {
  const [nearest] = around;
  const secret = isSecret(target, head);
  if ((target.inside || ofSkill === true) && !secret) return { type: 'allow' };
  const file: GrantScope = { type: 'file', file: target.location, within: nearest };
  const folders = secret ? [] : offeredFolder(nearest, situation);
  // A grant for a folder covers its files and the folder itself.
  const scopes = target.kind === 'folder' ? folders : [file, ...folders];
  const offers = scopes.map((scope): GrantOffer => ({ lifetime: 'chat', scope }));
  return { type: 'ask', by: 'dialog', reason: secret ? 'secret' : 'outside', offers };
}

/** The folder of a file outside the workspace, unless it would be too broad to grant. */
function offeredFolder(
  nearest: KnownFolder | undefined,
  { folders, home }: Situation,
): readonly GrantScope[] {
  if (nearest === undefined || isRoot(nearest.folder)) return [];
  const { folder } = nearest;
  const contains = (location: Location): boolean =>
    relativeSegments(folder, location, foldCase) !== undefined;
  if (folders.some(({ location }) => contains(location))) return [];
  if (home !== undefined && contains(home)) return [];
  return [{ type: 'folder', ...nearest }];
}
