import * as vscode from 'vscode';
import type { Redactor } from '../../core/support/redact.ts';
import { Refusal } from '../refusal.ts';

/** A key of the person's belongs in the header of a request, and never into a conversation. */
export function refuseSecrets(texts: readonly string[], redactor: Redactor): void {
  if (texts.every((text) => redactor.redact(text) === text)) return;
  throw new Refusal(
    vscode.l10n.t(
      'Your API key stands in this message or in a file that goes along with it. Take it out, then send again.',
    ),
  );
}
