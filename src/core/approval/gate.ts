import { ToolError } from '../support/toolError.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { LeftOut, Location, Target } from '../files/places.ts';
import type { AskReason } from './policy.ts';
import type { Grant, GrantOffer } from './grants.ts';
import type { OpenableTarget } from './addresses.ts';

/** The text of a file before and after a proposed edit. */
export interface PlannedChange {
  readonly kind: 'edit' | 'create';
  /** The path as the model wrote it. */
  readonly path: string;
  /** The whole text before, with its line endings; empty for a new file. */
  readonly before: string;
  readonly after: string;
  /** True if the file still has the text `before`, on the disk and in the editor. */
  readonly isCurrent: () => Promise<boolean>;
}

/** A planned change whose file has been resolved. */
export interface ResolvedChange extends PlannedChange {
  readonly target: Target;
  /** True if it was approved as a file of a Git directory (threats: T16). */
  readonly ofGit: boolean;
  /**
   * True if its path still leads to that file, or to the location of a new one (threats: T22), and
   * isn't in a Git directory unless it was approved as such.
   */
  readonly isInPlace: () => Promise<boolean>;
}

/** A command of the terminal, as it will run. */
export interface PlannedCommand {
  readonly command: string;
  /** Folder as the model wrote it; empty for the workspace's first folder. */
  readonly folder: string;
  /** Name of the shell, as in the prompt. */
  readonly shell: string;
}

/** A call of another extension's tool. */
export interface PlannedExternalCall {
  readonly tool: string;
  /**
   * The tool's name and a hash of its description, so that a changed tool counts as another one.
   */
  readonly identity: string;
  /** JSON, exactly as the tool will receive it. */
  readonly input: string;
}

/** Files whose names and contents are shown without approval. */
export interface VisibleFiles {
  /**
   * True if a file's content may be shown without approval: it contains no secrets, and is in no
   * denied place.
   *
   * @param label displayed path, see `Target.label`
   */
  mayShow(label: string): boolean;
  /**
   * The files that a list of names, or a search of content, omits below an approved folder,
   * whatever they contain (threats: T44).
   */
  leftOut(folder: Location, of: 'names' | 'content'): LeftOut;
}

/** What a call does with what was approved. */
export type Effect<Subject, T> = (approved: Approved<Subject>) => Promise<T>;

/** The part of the gate that changes nothing. */
export interface ReadGate extends VisibleFiles {
  read<T>(path: string, context: ToolContext, effect: Effect<Target, T>): Promise<T>;
  /** Reads a file that the effect opens in VS Code, which may load addresses from its text. */
  open<T>(
    path: string,
    openedAs: OpenableTarget['openedAs'],
    context: ToolContext,
    effect: Effect<OpenableTarget, T>,
  ): Promise<T>;
  /**
   * Reads the file that was inspected by the gate (threats: T22).
   *
   * @param most number of bytes from its beginning
   * @returns undefined without a local disk
   * @throws {ToolError} if its path now leads to another file
   */
  bytes(target: Approved<Target>, most: number): Promise<Uint8Array | undefined>;
}

/**
 * The single gate in front of every effect. Each method determines what the call would really do,
 * applies the policy (threats), asks the person if the policy requires it, checks that nothing has
 * changed since, and immediately runs `effect`. The content of a read is dropped if its path leads
 * elsewhere afterwards. Rejects with a `ToolError` of outcome `denied` if the call is not allowed;
 * any error inside the gate is a denial too.
 */
export interface Gate extends ReadGate {
  edit<T>(
    changes: readonly PlannedChange[],
    context: ToolContext,
    effect: Effect<readonly ResolvedChange[], T>,
  ): Promise<T>;
  run<T>(
    command: PlannedCommand,
    context: ToolContext,
    effect: Effect<PlannedCommand & { readonly cwd: Target }, T>,
  ): Promise<T>;
  external<T>(
    call: PlannedExternalCall,
    context: ToolContext,
    effect: Effect<PlannedExternalCall, T>,
  ): Promise<T>;
}

/**
 * A value that passed the gate. Effects accept nothing else, and only the gate creates one: the
 * private field excludes similar types, and a test finds other code that creates one.
 */
export class Approved<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }
}

/**
 * The person allowed only a part of an edit, or changed it first. The tool passes the allowed
 * texts through the gate again. The panel doesn't ask about them a second time; dialogs about other
 * files of the edit come only then.
 */
export class PartlyAllowed extends ToolError {
  /**
   * The allowed text of each file, by the path that the model wrote; its old text if nothing is
   * allowed.
   */
  readonly texts: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>) {
    super('The person allowed a part of this.', 'denied');
    this.texts = texts;
  }
}

/** The subject of a dialog: exactly what happens when the person allows it (threats: I4). */
export type ApprovalSubject =
  | { readonly type: 'read'; readonly target: Target }
  | { readonly type: 'open'; readonly target: Target; readonly addresses: readonly string[] }
  | { readonly type: 'edit'; readonly change: ResolvedChange }
  | {
      readonly type: 'run';
      readonly command: string;
      readonly shell: string;
      readonly cwd: Target;
    }
  | { readonly type: 'external'; readonly call: PlannedExternalCall };

/** An approval that needs VS Code's own modal dialog (threats: I6). */
export interface DialogRequest {
  readonly subject: ApprovalSubject;
  readonly reason: AskReason;
  readonly offers: readonly GrantOffer[];
  /** The chat of the call; undefined if there is none. */
  readonly conversation?: string | undefined;
}

export type DialogResponse =
  | { readonly type: 'once' }
  /** `reason` is the person's, if they gave one. */
  | { readonly type: 'deny'; readonly reason?: string | undefined }
  | { readonly type: 'grant'; readonly offer: GrantOffer };

/** Asks the person. Everything except an explicit yes is a no. */
export interface Approver {
  /**
   * Resolves with the click in the call's card; rejects when the signal aborts.
   * @throws {DeniedByPerson} if the person denies it with a reason
   */
  panel(
    changes: readonly ResolvedChange[],
    forChat: boolean,
    context: ToolContext,
    signal: AbortSignal,
  ): Promise<'once' | 'chat' | 'deny'>;
  /** Settles when the dialog closes. VS Code cannot close one, so it may stay open after the abort. */
  dialog(request: DialogRequest, signal: AbortSignal): Promise<DialogResponse>;
  describe(grant: Grant): string;
}
