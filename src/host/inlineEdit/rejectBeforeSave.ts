import * as vscode from 'vscode';
import type { OpenRows } from '../../core/code/openRows.ts';
import { decisionStep } from '../../core/code/rowSteps.ts';
import { textChange } from '../../core/code/textChange.ts';
import { UserError } from '../errors.ts';
import { lineOf, shapeOf } from './documentWriter.ts';
import type { InlineEdits } from './inlineEdits.ts';
import type { Review } from './review.ts';

/**
 * Rejects pending edits before a manual save, and offers to show them again, since they were paid
 * for. Auto save saves again after the decision.
 */
export function rejectBeforeSave(
  event: vscode.TextDocumentWillSaveEvent,
  reviews: readonly Review[],
  edits: Pick<InlineEdits, 'propose'>,
): void {
  const waiting = reviews.filter(({ phase }) => phase !== 'undone');
  if (event.reason !== vscode.TextDocumentSaveReason.Manual || waiting.length === 0) return;
  const proposals = waiting
    .filter(({ phase }) => phase === 'open')
    .map((review) => ({ review, code: review.proposal }));
  const rejected = Promise.all(waiting.map((review) => review.decide('reject')));
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
  const message = vscode.l10n.t('Saved without the pending change.');
  if ((await vscode.window.showInformationMessage(message, ...buttons)) === undefined) return;
  for (const { review, code } of proposals) {
    const { document, rows } = review;
    if (document.isClosed || !review.isAsBefore()) {
      throw new UserError(
        vscode.l10n.t("This code has changed since, so the change can't be shown again."),
      );
    }
    await edits.propose({ document, start: rows.start, end: rows.end }, code);
  }
}

function tell(error: unknown): void {
  void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
}

/**
 * Reverts a pending edit in a document that was closed, which VS Code may have saved automatically.
 * If the text is no longer that of the edit, it is left alone.
 */
export async function revertClosed(uri: vscode.Uri, open: OpenRows): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  if (!open.stand((line) => lineOf(document, line))) return;
  const { start, rows } = open;
  const step = decisionStep(rows, 'reject', { start: 0, end: rows.length });
  const edit = new vscode.WorkspaceEdit();
  for (const one of step.edits) {
    const change = textChange(one, start, shapeOf(document));
    const { startLine, startCharacter, endLine, endCharacter, text } = change;
    const range = new vscode.Range(startLine, startCharacter, endLine, endCharacter);
    edit.replace(uri, range, text);
  }
  await vscode.workspace.applyEdit(edit);
}
