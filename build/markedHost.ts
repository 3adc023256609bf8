/** In a build, what sources get as `vscode.l10n`. VS Code formats, also a message without a translation. */
import * as vscode from 'vscode';
import { messageMark } from '../src/core/support/messageMarks.ts';

export const markedL10n = {
  get bundle() {
    return vscode.l10n.bundle;
  },
  t(message: string, ...parameters: (string | number | boolean)[]): string {
    const { bundle } = vscode.l10n;
    const mark = bundle === undefined ? '' : messageMark(message);
    return vscode.l10n.t(bundle?.[mark] === undefined ? message : mark, ...parameters);
  },
};
