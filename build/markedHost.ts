/** In a build, what sources get as `vscode.l10n`. VS Code formats, also a message without a translation. */
import * as vscode from 'vscode';
import { messageMark } from '../src/core/support/messageMarks.ts';

/** Set by the build. */
declare const MARK_SALT: number;

export const markedL10n = {
  get bundle() {
    return vscode.l10n.bundle;
  },
  t(message: string, ...parameters: (string | number | boolean)[]): string {
    const { bundle } = vscode.l10n;
    const mark = bundle === undefined ? '' : messageMark(message, MARK_SALT);
    return vscode.l10n.t(bundle?.[mark] === undefined ? message : mark, ...parameters);
  },
};
