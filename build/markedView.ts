/** Replaces `@vscode/l10n` in builds of the view. */
import * as l10n from '@vscode/l10n';
import { messageMark } from '../src/core/support/messageMarks.ts';

/** Defined by the build. */
declare const MARK_SALT: number;

let isTranslated = false;

/** Sets the translations, as JSON. */
export function config(options: { readonly contents: string }): void {
  l10n.config(options);
  isTranslated = true;
}

/** Translates a message by its mark. Untranslated messages are only formatted. */
export function t(message: string, ...parameters: (string | number | boolean)[]): string {
  const mark = isTranslated ? messageMark(message, MARK_SALT) : message;
  return l10n.t(l10n.t(mark) === mark ? message : mark, ...parameters);
}
