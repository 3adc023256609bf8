import type { ToolContext } from '../tools/tool.ts';
import type { Target } from '../workspace/places.ts';
import type { AskReason } from './action.ts';
import type { Grant, GrantOffer } from './grantScope.ts';

/** A text file as an edit would leave it. */
export interface PlannedChange {
  readonly kind: 'edit' | 'create';
  /** As the model wrote it. */
  readonly path: string;
  /** The whole text before, with line ends as they are; empty for a new file. */
  readonly before: string;
  readonly after: string;
  /** Whether the file still is what `before` says, on the disk and in the editor. */
  readonly isCurrent: () => Promise<boolean>;
}

/** A change whose file is known. */
export interface ApprovedChange extends PlannedChange {
  readonly target: Target;
}

/** A command of the terminal, as it will run. */
export interface PlannedCommand {
  readonly command: string;
  /** The folder in which it runs, as the model wrote it; empty for the workspace's first. */
  readonly folder: string;
  /** The shell, as the prompt names it. */
  readonly shell: string;
}

/** A call of another extension's tool. */
export interface PlannedExternalCall {
  readonly tool: string;
  /** Name and a hash of what describes the tool: a tool that changed is another one. */
  readonly identity: string;
  /** JSON, exactly as it will be handed over. */
  readonly input: string;
}

/**
 * The one gate in front of every effect. Each method finds out what the call is really about,
 * decides by the policy (threats), asks the person where that says so, checks once more that nothing
 * changed meanwhile, and at once runs `effect`. Rejects with a `ToolError` of outcome `denied`
 * where the call may not go on; whatever goes wrong inside the gate is a denial too.
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
   * Whether the content of a file that a search found may be told without a question. Takes its path
   * as it is shown, see `Target.label`; secrets, and what lies in a denied place, are only named.
   */
  mayShow(label: string): boolean;
}

/**
 * A value that passed the gate. Effects take nothing else, and nobody but the gate makes one: the
 * private field keeps look-alikes out, and a test looks for others that make one.
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

/** What a dialog asks about: exactly what happens after a yes (threats: I4). */
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

/** A question that only VS Code's own modal dialog may ask (threats: I6). */
export interface DialogRequest {
  readonly subject: ApprovalSubject;
  readonly reason: AskReason;
  /** What may be allowed for longer, as far as the policy lets it. */
  readonly offers: readonly GrantOffer[];
}

export type DialogResponse =
  { readonly type: 'once' | 'deny' } | { readonly type: 'grant'; readonly offer: GrantOffer };

/** Asks the person. Whatever is no clear yes counts as a no. */
export interface Approver {
  /** Resolves with the click in the call's card; rejects when the signal aborts. */
  panel(
    changes: readonly ApprovedChange[],
    forChat: boolean,
    context: Pick<ToolContext, 'turn' | 'call'>,
    signal: AbortSignal,
  ): Promise<'once' | 'chat' | 'deny'>;
  /** Settles when the dialog is gone. VS Code cannot close one, so it may outlive the signal. */
  dialog(request: DialogRequest, signal: AbortSignal): Promise<DialogResponse>;
  /** Names a grant, in words for the person. */
  describe(grant: Grant): string;
}
