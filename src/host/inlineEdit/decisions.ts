import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { EditDecision, RowSpan } from '../../core/code/rowSteps.ts';
import type { Review } from './review.ts';

/**
 * Implements `aside.acceptEdit` and `aside.rejectEdit`.
 * @param given the argument of the command
 */
export async function decide(
  reviews: readonly Review[],
  side: EditDecision,
  given: unknown,
): Promise<void> {
  const target = decisionTarget(given);
  const editor = vscode.window.activeTextEditor;
  const here = reviews.filter(({ document }) => document === editor?.document);
  if (typeof target === 'object') await decideTarget(reviews, side, target);
  else if (editor !== undefined && target === 'cursor') await decideAt(editor, here, side);
  else await Promise.all(here.map((review) => review.decide(side)));
}

/** Reveals a line, and places the cursor at its start. */
export function goTo(editor: vscode.TextEditor, line: number): void {
  const place = new vscode.Range(line, 0, line, 0);
  editor.selection = new vscode.Selection(place.start, place.end);
  editor.revealRange(place, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function decideTarget(
  reviews: readonly Review[],
  side: EditDecision,
  { address, line, part }: DecisionTarget,
): Promise<void> {
  const review = reviews.find(
    ({ document, rows }) =>
      document.uri.toString() === address && rows.start <= line && line <= rows.end,
  );
  await review?.decide(side, part === 'hunk' ? line : undefined);
}

/** Decides on the hunk at the cursor, or the next one after it, and moves to the following hunk. */
async function decideAt(
  editor: vscode.TextEditor,
  reviews: readonly Review[],
  side: EditDecision,
): Promise<void> {
  const parts = partsOf(reviews);
  const found = parts.find(({ hunk }) => hunk.end > editor.selection.active.line) ?? parts[0];
  if (found === undefined) return;
  const { review, hunk } = found;
  await review.decide(side, hunk.start);
  const left = partsOf(reviews);
  const next = left.find((part) => part.hunk.start >= hunk.start) ?? left[0];
  if (next !== undefined) goTo(editor, next.hunk.start);
}

function partsOf(
  reviews: readonly Review[],
): readonly { readonly review: Review; readonly hunk: RowSpan }[] {
  return reviews
    .filter(({ phase }) => phase === 'open')
    .flatMap((review) => review.hunks.map((hunk) => ({ review, hunk })))
    .toSorted((one, other) => one.hunk.start - other.hunk.start);
}

const target = z.object({
  /** URI of the document. */
  address: z.string(),
  /** A line of the change, or of the hunk. */
  line: z.int(),
  part: z.enum(['all', 'hunk']),
});

/** The target of a decision: a whole change, or one hunk of it. */
export type DecisionTarget = z.infer<typeof target>;

const atCursor = z.object({ at: z.literal('cursor') });

/**
 * Parses the argument of the decision commands: the target from a CodeLens, `cursor` from a
 * keybinding in `package.json`, and `editor` from everywhere else.
 */
export function decisionTarget(given: unknown): DecisionTarget | 'cursor' | 'editor' {
  const found = target.safeParse(given);
  if (found.success) return found.data;
  return atCursor.safeParse(given).success ? 'cursor' : 'editor';
}
