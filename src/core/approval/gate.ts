import type { ToolContext } from '../tools/tool.ts';
import type { Target } from '../workspace/places.ts';
import type { AskReason } from './action.ts';
import type { Grant, GrantOffer } from './grantScope.ts';

/** A text file as an edit would leave it. */
export interface PlannedChange {
  readonly kind: 'edit' | 'create';
  /** The path as the model wrote it. */
  readonly path: string;
  /** The whole text before the edit with its original line endings; empty for a new file. */
  readonly before: string;
  readonly after: string;
  /** Whether the file still matches `before`, on disk and in the editor. */
  readonly isCurrent: () => Promise<boolean>;
}

/** A change whose file is resolved. */
export interface ApprovedChange extends PlannedChange {
  readonly target: Target;
}

/** A terminal command, exactly as it will run. */
export interface PlannedCommand {
  readonly command: string;
  /** The working folder as the model wrote it; empty for the first folder of the workspace. */
  readonly folder: string;
  /** Name of the shell, as shown in the approval request. */
  readonly shell: string;
}

/** A call of another extension's tool. */
export interface PlannedExternalCall {
  readonly tool: string;
  /** Name and a hash of the tool's description: a changed tool counts as a different one. */
  readonly identity: string;
  /** JSON, exactly as it will be passed to the tool. */
  readonly input: string;
}

/**
 * The single gate for every effect. Each method resolves what the call is really about, decides by
 * the policy (threats), asks the person if required, checks again that nothing changed in the
 * meantime, and immediately runs `effect`. Rejects with a `ToolError` of outcome `denied` if the
 * call is not allowed; any failure inside the gate is a denial too.
 */
export interface Gate {
  read<T>(
    path: string,
    context: ToolContext,
    effect: (target: Approved<Target>) => Promise<T>,
  ): Promise<T>;
  edit<T>(
    changes: readonly PlannedChange[],
    context: ToolContext,
    effect: (changes: Approved<readonly ApprovedChange[]>) => Promise<T>,
  ): Promise<T>;
  run<T>(
    command: PlannedCommand,
    context: ToolContext,
    effect: (command: Approved<PlannedCommand & { readonly cwd: Target }>) => Promise<T>,
  ): Promise<T>;
  external<T>(
    call: PlannedExternalCall,
    context: ToolContext,
    effect: (call: Approved<PlannedExternalCall>) => Promise<T>,
  ): Promise<T>;
  /**
   * Whether the content of a file that a search found may be shown without approval. Takes the path
   * as it is displayed, see `Target.label`; files with secrets, and files in denied places, are
   * only named.
   */
  mayShow(label: string): boolean;
}

/**
 * A value that passed the gate. Effects accept nothing else, and only the gate creates it: the
 * private field excludes look-alikes, and a test checks that nothing else creates one.
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

/** The subject of an approval dialog: exactly what happens after it is allowed (threats: I4). */
export type ApprovalSubject =
  | { readonly type: 'read'; readonly target: Target }
  | { readonly type: 'edit'; readonly change: ApprovedChange }
  | {
      readonly type: 'run';
      readonly command: string;
      readonly shell: string;
      readonly cwd: Target;
    }
  | { readonly type: 'external'; readonly call: PlannedExternalCall };

/** An approval request that only VS Code's own modal dialog may show (threats: I6). */
export interface DialogRequest {
  readonly subject: ApprovalSubject;
  readonly reason: AskReason;
  /** The grants that the dialog offers, as far as the policy allows. */
  readonly offers: readonly GrantOffer[];
}

/** The person's response to a dialog. */
export type DialogResponse =
  { readonly type: 'once' | 'deny' } | { readonly type: 'grant'; readonly offer: GrantOffer };

/** Asks the person for approval. Anything but an explicit yes counts as a denial. */
export interface Approver {
  /** Resolves with the button clicked in the call's card; rejects when the signal aborts. */
  panel(
    changes: readonly ApprovedChange[],
    forChat: boolean,
    context: Pick<ToolContext, 'turn' | 'call'>,
    signal: AbortSignal,
  ): Promise<'once' | 'chat' | 'deny'>;
  /**
   * Settles when the dialog is closed. VS Code cannot close a dialog, so it may outlive the signal.
   */
  dialog(request: DialogRequest, signal: AbortSignal): Promise<DialogResponse>;
  /** Describes a grant, in words for the person. */
  describe(grant: Grant): string;
}
