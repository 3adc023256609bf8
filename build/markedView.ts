/** In a build, what the view gets as `@vscode/l10n`. */
import * as l10n from '@vscode/l10n';
import { messageMark } from '../src/core/support/messageMarks.ts';

/** Set by the build. */
declare const MARK_SALT: number;

let isTranslated = false;

/** Sets the translations, as JSON. */
export function config(options: { readonly contents: string }): void {
  l10n.config(options);
  isTranslated = true;
}

/** The translation of a message, by its mark; a message without one is formatted as it is. */
export function t(message: string, ...parameters: (string | number | boolean)[]): string {
  const mark = isTranslated ? messageMark(message, MARK_SALT) : message;
  return l10n.t(l10n.t(mark) === mark ? message : mark, ...parameters);
}
