import * as vscode from 'vscode';
import { Refusal } from '../refusal.ts';
import type { TextAnswer } from './textAnswers.ts';

/** Throws, with words for the person, where the end of an answer is missing. */
export function requireWhole({ end, fault }: TextAnswer): void {
  if (end === 'cut') {
    throw fault ?? new Refusal(vscode.l10n.t('The answer broke off before its end. Try again.'));
  }
  if (end === 'length') {
    throw new Refusal(
      vscode.l10n.t(
        'The answer became longer than replies may be. Raise "Max Tokens" in the settings, or choose another model.',
      ),
    );
  }
}
