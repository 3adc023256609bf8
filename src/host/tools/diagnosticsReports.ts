import * as vscode from 'vscode';
import { abortable } from '../../core/support/abort.ts';
import { systemClock, type Clock } from '../../core/support/clock.ts';

/** Milliseconds that a language has to say something about a text that is new to it. */
const longestWait = 2000;

/**
 * Waits for what languages say about a document, where that is to be expected: they look at a text
 * some time after it changed, and tell nothing when there is nothing to tell.
 */
export class DiagnosticsReports {
  readonly #clock: Clock;
  /** The version of each document that was waited for. */
  readonly #seen = new WeakMap<vscode.TextDocument, number>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Resolves when there was a report since the document changed, or when none is to be expected. */
  async wait(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    const { version } = document;
    if (this.#seen.get(document) === version) return;
    this.#seen.set(document, version);
    await abortable(this.#report(document.uri), signal);
  }

  #report(uri: vscode.Uri): Promise<void> {
    const address = uri.toString();
    return new Promise((resolve) => {
      const timer = this.#clock.after(longestWait, () => end());
      const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((one) => one.toString() === address)) end();
      });
      const end = (): void => {
        timer.dispose();
        listening.dispose();
        resolve();
      };
    });
  }
}
