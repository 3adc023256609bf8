import type { WorkspaceFolder, Location, Target } from '../workspace/places.ts';
import type { CommandScope, Grant, GrantOffer } from './grantScope.ts';

/** What the policy knows besides the call. */
export interface Situation {
  readonly trusted: boolean;
  /** `aside.tools.approval` is `askAll`: every call asks, and no grant is offered or used. */
  readonly askAll: boolean;
  /** Text of other extensions' tools entered the chat (threats: T38). */
  readonly tainted: boolean;
  readonly folders: readonly WorkspaceFolder[];
  /** The person's home folder, where there is one. */
  readonly home: Location | undefined;
  /** Where links in the home lead whose names begin with a dot: what lies there is as protected. */
  readonly linkedFromHome: readonly Location[];
  /** Places that no tool touches. */
  readonly denied: readonly Location[];
  /** Whether grants can be stored for this workspace. */
  readonly storesGrants: boolean;
}

/** What of it is known without a look at the disk. */
export type KnownSituation = Omit<Situation, 'storesGrants' | 'linkedFromHome'>;

/** A file or folder, with what was read of it where its name does not decide. */
export interface Subject {
  readonly target: Target;
  readonly head: Uint8Array | undefined;
}

/** A file that is about to be changed. */
export interface EditSubject extends Subject {
  /** The text after the change makes the editor fetch something (threats: T25). */
  readonly fetches: boolean;
  /** The text after the change begins as a script does. */
  readonly becomesScript: boolean;
  /** It lies where git keeps the repository, which may have any name. */
  readonly ofGit: boolean;
}

/** What a call is about to do. The category follows from it and from nothing else (threats: T29). */
export type Action =
  | { readonly type: 'read'; readonly subject: Subject }
  /** `of`: how many files the whole call changes. */
  | { readonly type: 'edit'; readonly subjects: readonly EditSubject[]; readonly of: number }
  | ({ readonly type: 'run'; readonly cwd: Target } & Pick<CommandScope, 'command' | 'shell'>)
  | { readonly type: 'external'; readonly tool: string; readonly identity: string };

/** Why a person is asked. */
export type AskReason =
  | 'secret'
  | 'outside'
  | 'protected'
  | 'hard-links'
  | 'fetches'
  | 'unprotected'
  | 'run'
  | 'external'
  | 'ask-all';

/** What the policy says of an action. */
export type Verdict =
  | { readonly type: 'allow'; readonly grant?: Grant | undefined }
  | {
      readonly type: 'ask';
      readonly by: 'panel' | 'dialog';
      readonly reason: AskReason;
      readonly offers: readonly GrantOffer[];
    }
  | { readonly type: 'deny'; readonly words: string };

/** Finds what the person allowed before. */
export type FindGrant = (offer: GrantOffer) => Grant | undefined;
