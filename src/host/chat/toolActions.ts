import type { PanelDecision } from '../tools/panelDecisions.ts';

/** What the person can do from the panel with calls and with what they changed. */
export interface ToolActions {
  /** Resolves with false where nothing like that waits for a decision. */
  decide(turn: string, call: string, decision: PanelDecision): Promise<boolean>;
  /** Shows what a waiting call would change, in a diff. */
  review(turn: string, call: string, path: string | undefined): Promise<void>;
  /** Does it with one file that the turn changed, or with all of them. */
  change(turn: string, change: string | undefined, action: 'diff' | 'keep' | 'undo'): Promise<void>;
}
