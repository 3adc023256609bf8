import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ShownHunk } from '../../core/review/proposal.ts';
import type { EditDecision, Review } from './review.ts';
import { reviewScheme } from '../contributions.ts';

const target = z.object({
  address: z.string(),
  /** The number of the hunk; absent for all. */
  hunk: z.optional(z.int()),
});

/** The target of a decision: a whole change, or one hunk of it. */
export type DecisionTarget = z.infer<typeof target>;

const atCursor = z.object({ at: z.literal('cursor') });

/**
 * Parses the argument of the decision commands: the target from a CodeLens, `cursor` from a
 * keybinding in `package.json`, and `editor` from everywhere else.
 */
export function decisionTarget(argument: unknown): DecisionTarget | 'cursor' | 'editor' {
  const parsed = target.safeParse(argument);
  if (parsed.success) return parsed.data;
  return atCursor.safeParse(argument).success ? 'cursor' : 'editor';
}

/** Decides on the hunk at the cursor, or the next one after it, and moves to the following hunk. */
export async function decideAtCursor(review: Review, side: EditDecision): Promise<void> {
  review.takeTyped();
  const editor = vscode.window.activeTextEditor;
  const isLeft = editor?.document.uri.toString() === review.options.original;
  const isHere = isLeft || editor?.document.uri.scheme === reviewScheme;
  const line = isHere ? editor.selection.active.line : 0;
  const endOf = ({ hunk, end }: ShownHunk): number =>
    isLeft ? hunk.line + hunk.before.length : end;
  const match = review.hunks.find((candidate) => endOf(candidate) > line) ?? review.hunks.at(-1);
  if (match === undefined) return review.decide(side);
  await review.decide(side, [match.hunk.id]);
  const next = review.hunks.find(({ start }) => start >= match.start) ?? review.hunks[0];
  if (!isHere || next === undefined) return;
  goTo(editor, isLeft ? next.hunk.line : next.start);
}

function goTo(editor: vscode.TextEditor, line: number): void {
  editor.selection = new vscode.Selection(line, 0, line, 0);
  revealLine(editor, line);
}

/** Scrolls to a line if it is out of sight. */
export function revealLine(editor: vscode.TextEditor, line: number): void {
  const range = new vscode.Range(line, 0, line, 0);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
