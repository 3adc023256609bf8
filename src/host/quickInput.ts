import type * as vscode from 'vscode';
import type { Disposable } from '../core/support/event.ts';

/**
 * Resolves with the answer of a quick pick or an input box; undefined if it closes without one.
 * Disposes the input afterwards.
 *
 * @param listen adds the listeners, which are disposed with the input, and passes on the answer
 */
export function answerOf<T>(
  input: vscode.QuickInput,
  listen: (answer: (value: T) => void) => readonly Disposable[],
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const answer = (value: T): void => {
      resolve(value);
      input.hide();
    };
    const disposables = [
      input,
      ...listen(answer),
      input.onDidHide(() => {
        resolve(undefined);
        for (const disposable of disposables) disposable.dispose();
      }),
    ];
  });
}
