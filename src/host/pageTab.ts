import * as vscode from 'vscode';
import { background } from '../core/support/background.ts';
import type { Clock } from '../core/support/clock.ts';
import { disposeAll, type Disposable, type Event } from '../core/support/event.ts';
import type { editors } from './contributions.ts';
import type { OpenPage } from './page.ts';

export interface PageTabOptions {
  readonly type: (typeof editors)[keyof typeof editors];
  readonly title: string;
  /** The name of the script and the styles of the page. */
  readonly page: Parameters<OpenPage>[2];
  readonly extensionUri: vscode.Uri;
  readonly openPage: OpenPage;
  readonly clock: Pick<Clock, 'after'>;
  /** Handles a message of the page, which isn't validated yet. */
  readonly receive: (message: unknown) => void;
  /** Reads the current message for the page. */
  readonly read: () => Promise<unknown>;
  /** Fires when the current message may have changed. */
  readonly onDidChange: Event<unknown>;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds between two updates, since much of the page changes with each word of a reply. */
const minInterval = 500;

/** A tab with a page that shows a current state. A window has at most one of each kind. */
export class PageTab implements Disposable {
  readonly #options: PageTabOptions;
  #panel: vscode.WebviewPanel | undefined;
  #listening: readonly Disposable[] = [];
  #waiting: Disposable | undefined;
  #isPosting = false;
  #isOutdated = false;

  constructor(options: PageTabOptions) {
    this.#options = options;
  }

  /** Shows the tab in front. */
  show(): void {
    const { type, title } = this.#options;
    if (this.#panel !== undefined) this.#panel.reveal();
    else this.restore(vscode.window.createWebviewPanel(type, title, vscode.ViewColumn.Active));
  }

  /** Shows the page in a tab that VS Code opened, as one was open before the window was reloaded. */
  restore(panel: vscode.WebviewPanel): void {
    if (this.#panel !== undefined) {
      panel.dispose();
      return;
    }
    const { page, extensionUri, openPage, receive, onDidChange } = this.#options;
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    this.#panel = panel;
    this.#listening = [
      openPage(panel.webview, extensionUri, page)((message) => receive(message)),
      onDidChange(() => this.update()),
      panel.onDidChangeViewState(() => this.update()),
      panel.onDidDispose(() => this.#forget()),
    ];
  }

  /** Posts the current message after a moment, if the tab is visible. */
  update(): void {
    if (this.#panel?.visible !== true) return;
    this.#waiting ??= this.#options.clock.after(minInterval, () => {
      this.#waiting = undefined;
      background(this.post());
    });
  }

  /** Posts the current message. Changes during the post are posted after it. */
  async post(): Promise<void> {
    this.#isOutdated = true;
    if (this.#isPosting) return;
    this.#isPosting = true;
    try {
      while (this.#isOutdated) {
        this.#isOutdated = false;
        this.send(await this.#options.read());
      }
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#isPosting = false;
    }
  }

  /** Posts another message to the page, such as a response to its request. */
  send(message: unknown): void {
    background(this.#panel?.webview.postMessage(message));
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #forget(): void {
    disposeAll(this.#listening);
    this.#listening = [];
    this.#waiting?.dispose();
    this.#waiting = undefined;
    this.#panel = undefined;
  }
}
