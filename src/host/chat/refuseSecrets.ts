import * as vscode from 'vscode';
import type { Question } from '../../core/conversation/conversation.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { Refusal } from '../refusal.ts';

/** A key of the person's belongs in the header of a request, and never into a conversation. */
export function refuseSecrets(question: Question, redactor: Redactor): void {
  const texts = [question.text, ...question.attachments.map((attachment) => attachment.text)];
  if (texts.every((text) => redactor.redact(text) === text)) return;
  throw new Refusal(
    vscode.l10n.t(
      'Your API key stands in this message or in a file that goes along with it. Take it out, then send again.',
    ),
  );
}
