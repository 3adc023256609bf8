import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { EditDecision, RowSpan } from '../../core/code/rowSteps.ts';
import type { Review } from './review.ts';

/**
 * Carries out `aside.acceptEdit` and `aside.rejectEdit`.
 * @param given what the command was given
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

/** Shows a line, with the cursor at its beginning. */
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

/** Decides the part at the cursor, or the next behind it, and goes on to the one after that. */
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
  /** Of the document. */
  address: z.string(),
  /** A line of the change, or of the part of it. */
  line: z.int(),
  part: z.enum(['all', 'hunk']),
});

/** What a decision is about: a change as a whole, or one part of it. */
export type DecisionTarget = z.infer<typeof target>;

const atCursor = z.object({ at: z.literal('cursor') });

/**
 * What the commands that decide were given: by a button in the text its target, by a key of package.json
 * the word that it is about the part at the cursor, by everybody else nothing that counts.
 */
export function decisionTarget(given: unknown): DecisionTarget | 'cursor' | 'editor' {
  const found = target.safeParse(given);
  if (found.success) return found.data;
  return atCursor.safeParse(given).success ? 'cursor' : 'editor';
}
