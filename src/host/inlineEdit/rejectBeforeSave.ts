import * as vscode from 'vscode';
import { Refusal } from '../refusal.ts';
import type { InlineEdits } from './inlineEdits.ts';
import type { Review } from './review.ts';

/**
 * Takes back what nobody accepted, before a file is saved by hand, and offers to show it again: what
 * was paid for is not lost. Where VS Code saves by itself, it does so again after the decision.
 */
export function rejectBeforeSave(
  event: vscode.TextDocumentWillSaveEvent,
  reviews: readonly Review[],
  edits: Pick<InlineEdits, 'propose'>,
): void {
  if (event.reason !== vscode.TextDocumentSaveReason.Manual || reviews.length === 0) return;
  const proposals = reviews
    .filter(({ phase }) => phase === 'open')
    .map((review) => ({ review, code: review.proposal }));
  const rejected = Promise.all(reviews.map((review) => review.decide('reject')));
  event.waitUntil(rejected);
  rejected.then(() => offer(proposals, edits)).catch(tell);
}

interface Proposal {
  readonly review: Review;
  readonly code: string;
}

async function offer(
  proposals: readonly Proposal[],
  edits: Pick<InlineEdits, 'propose'>,
): Promise<void> {
  const buttons = proposals.length === 0 ? [] : [vscode.l10n.t('Show Again')];
  const message = vscode.l10n.t('Saved without the change that was not accepted.');
  if ((await vscode.window.showInformationMessage(message, ...buttons)) === undefined) return;
  for (const { review, code } of proposals) {
    const { document, rows } = review;
    if (document.isClosed || !review.isAsBefore()) {
      throw new Refusal(vscode.l10n.t('This code has changed since, so it cannot be shown again.'));
    }
    await edits.propose({ document, start: rows.start, end: rows.end }, code);
  }
}

function tell(error: unknown): void {
  void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
}
