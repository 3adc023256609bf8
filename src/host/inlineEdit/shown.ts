import * as vscode from 'vscode';
import { abortError } from '../../core/support/async.ts';

/** Whether a visible editor shows the document. */
export function isShown(document: vscode.TextDocument): boolean {
  return vscode.window.visibleTextEditors.some((editor) => editor.document === document);
}

/** Resolves once a visible editor shows the document; rejects if the signal aborts first. */
export async function untilShown(
  document: vscode.TextDocument,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (isShown(document)) return;
  await new Promise<void>((resolve, reject) => {
    const listening = vscode.window.onDidChangeVisibleTextEditors(() => {
      if (isShown(document)) end(resolve);
    });
    const stop = (): void => end(() => reject(abortError(signal)));
    const end = (settle: () => void): void => {
      listening.dispose();
      signal.removeEventListener('abort', stop);
      settle();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
