/** Replaces `vscode.l10n` in builds. VS Code formats all messages, including untranslated ones. */
import * as vscode from 'vscode';
import { messageMark, unpackTexts } from '../src/core/support/messageMarks.ts';

/** Defined by the build. */
declare const MARK_SALT: number;

/** Marks of all messages, defined by the build. */
declare const MESSAGE_MARKS: string;

let texts: ReturnType<typeof unpackTexts> | undefined;

export const markedL10n = {
  /** Translations by the marks of their messages. Undefined in English. */
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
