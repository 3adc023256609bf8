/** In a build, what sources get as `vscode.l10n`. VS Code formats, also a message without a translation. */
import * as vscode from 'vscode';
import { messageMark, unpackTexts } from '../src/core/support/messageMarks.ts';

/** Set by the build. */
declare const MARK_SALT: number;

/** The marks of all messages, set by the build. */
declare const MESSAGE_MARKS: string;

let texts: ReturnType<typeof unpackTexts> | undefined;

export const markedL10n = {
  /** The translations by the marks of their messages; undefined in English. */
  get bundle() {
    texts ??= vscode.l10n.bundle && unpackTexts(vscode.l10n.bundle['texts'] ?? '', MESSAGE_MARKS);
    return texts;
  },
  t(message: string, ...parameters: (string | number | boolean)[]): string {
    const { bundle } = markedL10n;
    const text = bundle?.[messageMark(message, MARK_SALT)];
    return vscode.l10n.t(text ?? message, ...parameters);
  },
};
