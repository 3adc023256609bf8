import type { WorkspaceFolder, Location, Target } from '../workspace/places.ts';
import type { CommandScope, Grant, GrantOffer, KnownFolder } from './grantScope.ts';

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
