import type { AskReason } from './action.ts';
import type { ApprovedChange, PlannedExternal } from './gate.ts';
import type { Grant, Offer } from './grantScope.ts';
import type { Target } from './target.ts';
import type { ToolContext } from './tool.ts';

/** What a dialog asks about: exactly what happens after a yes (threats: I4). */
export type DialogSubject =
  | { readonly type: 'read'; readonly target: Target }
  | { readonly type: 'edit'; readonly change: ApprovedChange }
  | {
      readonly type: 'run';
      readonly command: string;
      readonly shell: string;
      readonly cwd: Target;
    }
  | { readonly type: 'external'; readonly call: PlannedExternal };

/** A question that only VS Code's own modal dialog may ask (threats: I6). */
export interface DialogQuestion {
  readonly subject: DialogSubject;
  readonly reason: AskReason;
  /** What may be allowed for longer, as far as the policy lets it. */
  readonly offers: readonly Offer[];
}

export type DialogAnswer =
  { readonly type: 'once' | 'deny' } | { readonly type: 'grant'; readonly offer: Offer };

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
  dialog(question: DialogQuestion, signal: AbortSignal): Promise<DialogAnswer>;
  /** Names a grant, in words for the person. */
  describe(grant: Grant): string;
}
