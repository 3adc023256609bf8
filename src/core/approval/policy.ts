import {
  foldCase,
  isRoot,
  type Location,
  relativeSegments,
  type Target,
  type WorkspaceFolder,
} from '../files/places.ts';
import { isDenied, isWithinAny } from './deniedPlaces.ts';
import {
  type CommandScope,
  type Grant,
  type GrantOffer,
  type GrantScope,
  isRepeatable,
  type KnownFolder,
} from './grants.ts';
import { hasProtectedName, startsAsProgram, isToolFile } from './protectedFiles.ts';
import { isSecret } from './secrets.ts';

/** The circumstances of a call that the policy considers. */
export interface Situation {
  readonly trusted: boolean;
  /**
   * True if `aside.tools.approval` is `askAll`: every call requires approval, and grants are
   * neither offered nor used.
   */
  readonly askAll: boolean;
  /** True if the chat contains text from other extensions' tools (threats: T38). */
  readonly tainted: boolean;
  readonly folders: readonly WorkspaceFolder[];
  /** The person's home folder, if there is one. */
  readonly home: Location | undefined;
  /** Targets of links in the home folder whose names start with a dot; they are protected too. */
  readonly linkedFromHome: readonly Location[];
  /** Locations that no tool may access. */
  readonly denied: readonly Location[];
  /** True if grants can be stored for this workspace. */
  readonly storesGrants: boolean;
  /** True if the caller can have grants: only a conversation can (threats: T45). */
  readonly takesGrants: boolean;
}

/** The part of a situation that is known without reading the disk. */
export type KnownSituation = Omit<Situation, 'storesGrants' | 'takesGrants' | 'linkedFromHome'>;

/** A file or folder, with its first bytes if the name alone does not decide. */
export interface Subject {
  readonly target: Target;
  readonly head: Uint8Array | undefined;
}

/** A file that is about to be changed. */
export interface EditSubject extends Subject {
  /** True if the new text has a new address, which an editor may fetch (threats: T25). */
  readonly addsAddress: boolean;
  /** True if the new text starts like a script. */
  readonly becomesScript: boolean;
  /**
   * True if the file is inside a Git directory, which may have any name, or makes its folder one.
   */
  readonly ofGit: boolean;
  /**
   * True if the file exists and, in a repository, Git tracks it, so that a list of changes shows the
   * edit. False if this is unknown.
   */
  readonly tracked: boolean;
}

/**
 * An effect that a call is about to have. Its category follows from this alone (threats: T29).
 */
export type Action =
  | {
      readonly type: 'read';
      readonly subject: Subject;
      /** The folder that is read, or the file's, and its parents; empty inside the workspace. */
      readonly around: readonly KnownFolder[];
      /** It is outside the workspace, in the folder of a skill that the person allowed. */
      readonly ofSkill?: boolean;
    }
  /** A file with addresses is opened, which an editor may fetch (threats: T25). */
  | { readonly type: 'open'; readonly target: Target; readonly addresses: readonly string[] }
  /** `of`: number of files that the whole call changes. */
  | { readonly type: 'edit'; readonly subjects: readonly EditSubject[]; readonly of: number }
  | ({ readonly type: 'run'; readonly cwd: Target } & Pick<CommandScope, 'command' | 'shell'>)
  | { readonly type: 'external'; readonly tool: string; readonly identity: string };

export type AskReason =
  | 'secret'
  | 'outside'
  | 'protected'
  | 'hard-links'
  | 'addresses'
  | 'unprotected'
  | 'untracked'
  | 'run'
  | 'external'
  | 'ask-all';

export type Verdict =
  | { readonly type: 'allow'; readonly grant?: Grant | undefined }
  | {
      readonly type: 'ask';
      readonly by: 'panel' | 'dialog';
      readonly reason: AskReason;
      readonly offers: readonly GrantOffer[];
    }
  | { readonly type: 'deny'; readonly words: string };

/** Finds an existing grant for an offer. */
export type FindGrant = (offer: GrantOffer) => Grant | undefined;

/** Calls that change more files than this always require approval. */
const maxGrantedFiles = 20;

/** Explains to the model why no tool works. */
export const untrustedWorkspace = 'The person does not trust this workspace, so no tool runs here.';

/**
 * The approval policy (threats). A pure function: the same action in the same situation gives the
 * same verdict.
 */
export function evaluatePolicy(action: Action, situation: Situation, find: FindGrant): Verdict {
  const refusal = refusalOf(action, situation);
  if (refusal !== undefined) return { type: 'deny', words: refusal };
  const verdict = defaultVerdict(action, situation);
  if (verdict.type === 'deny') return verdict;
  if (situation.askAll) {
    if (verdict.type === 'ask') return { ...verdict, offers: [] };
    return { type: 'ask', by: 'dialog', reason: 'ask-all', offers: [] };
  }
  if (verdict.type === 'allow') return verdict;
  if (!situation.takesGrants) return { ...verdict, offers: [] };
  // Grants that could be misused to send data out are suspended once unchecked text is in the chat
  // (threats: T38).
  const offers = verdict.offers.filter(({ lifetime, scope }) => {
    const canSend = scope.type === 'command' || scope.type === 'tool';
    return !situation.tainted || lifetime !== 'chat' || !canSend;
  });
  // A grant for any of the folders around an offered one applies too.
  const isFolderOffered = offers.some(({ scope }) => scope.type === 'folder');
  const enclosing = action.type === 'read' && isFolderOffered ? action.around.slice(1) : [];
  const applicable: readonly GrantOffer[] = [
    ...offers,
    ...enclosing.map(
      (folder) => ({ lifetime: 'chat', scope: { type: 'folder', ...folder } }) as const,
    ),
  ];
  const grant = applicable.map(find).find((result) => result !== undefined);
  return grant === undefined ? { ...verdict, offers } : { type: 'allow', grant };
}

/** The reason why an action can't be allowed at all; undefined if it can. */
function refusalOf(action: Action, { trusted, denied }: Situation): string | undefined {
  if (!trusted) return untrustedWorkspace;
  for (const target of targetsOf(action)) {
    if (isDenied(target, denied)) {
      return `Tools cannot access ${target.label}. Ask the person to attach what is needed from it.`;
    }
    if (target.kind === 'special') return `${target.label} is not a file or folder.`;
  }
  if (action.type !== 'run') return undefined;
  if (action.cwd.identity === '') return 'Commands cannot run here.';
  return action.cwd.kind === 'folder' ? undefined : `${action.cwd.label} is not a folder.`;
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

/** The verdict by the class of the action, with everything that the person may grant. */
function defaultVerdict(action: Action, situation: Situation): Verdict {
  switch (action.type) {
    case 'read':
      return readVerdict(action, situation);
    case 'open':
      return { type: 'ask', by: 'dialog', reason: 'addresses', offers: [] };
    case 'edit':
      return editVerdict(action, situation);
    case 'run': {
      const { command, cwd, shell } = action;
      const scope: CommandScope = { type: 'command', command, folder: cwd.location, shell };
      const offers: readonly GrantOffer[] = [
        { lifetime: 'chat', scope },
        ...(situation.storesGrants ? [{ lifetime: 'workspace', scope } as const] : []),
      ];
      const canBeGranted = isRepeatable(command) && cwd.inside;
      return { type: 'ask', by: 'dialog', reason: 'run', offers: canBeGranted ? offers : [] };
    }
    case 'external': {
      const { tool, identity } = action;
      const scope: GrantScope = { type: 'tool', tool, identity };
      const offers: readonly GrantOffer[] = [{ lifetime: 'chat', scope }];
      return { type: 'ask', by: 'dialog', reason: 'external', offers };
    }
  }
}

/**
 * Reading: allowed inside the workspace and in allowed skills; requires approval for secrets and
 * elsewhere (classes A and B).
 */
function readVerdict(
  { subject: { target, head }, around, ofSkill }: Extract<Action, { type: 'read' }>,
  { folders, home }: Situation,
): Verdict {
  const [nearest] = around;
  const secret = isSecret(target, head);
  if ((target.inside || ofSkill === true) && !secret) return { type: 'allow' };
  const scopes: GrantScope[] = [];
  // A grant for a folder covers its files and the folder itself.
  if (target.kind !== 'folder')
    scopes.push({ type: 'file', file: target.location, within: nearest });
  if (!secret && nearest !== undefined && !isRoot(nearest.folder)) {
    // One that holds the workspace or the home folder would be too broad to grant.
    const held = [
      ...folders.map(({ location }) => location),
      ...(home === undefined ? [] : [home]),
    ];
    const isBroad = held.some(
      (location) => relativeSegments(nearest.folder, location, foldCase) !== undefined,
    );
    if (!isBroad) scopes.push({ type: 'folder', ...nearest });
  }
  const offers = scopes.map((scope): GrantOffer => ({ lifetime: 'chat', scope }));
  return { type: 'ask', by: 'dialog', reason: secret ? 'secret' : 'outside', offers };
}

/**
 * Changing files: approved in the panel; protected ones separately in a dialog (classes C, C2 and D).
 */
function editVerdict(
  { subjects, of }: Extract<Action, { type: 'edit' }>,
  situation: Situation,
): Verdict {
  const reason = subjects
    .map((subject) => editProtection(subject, situation))
    .find((protection) => protection !== undefined);
  if (reason !== undefined && subjects.length > 1) {
    return { type: 'deny', words: 'Change protected files one by one.' };
  }
  if (reason !== undefined) return { type: 'ask', by: 'dialog', reason, offers: [] };
  // An approval of edits covers existing files that Git tracks, or that are in no repository. It
  // covers none that tools run, no new addresses (class C2), and no locations whose links can't be
  // checked.
  const isCovered = subjects.every(
    ({ target, tracked, addsAddress }) =>
      target.identity !== '' && tracked && !addsAddress && !isToolFile(target, situation.folders),
  );
  const offers: readonly GrantOffer[] =
    isCovered && of <= maxGrantedFiles ? [{ lifetime: 'chat', scope: { type: 'edits' } }] : [];
  const isUntracked = subjects.some(({ target, tracked }) => !tracked && target.identity !== '');
  return { type: 'ask', by: 'panel', reason: isUntracked ? 'untracked' : 'unprotected', offers };
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
