import * as vscode from 'vscode';
import type * as z from 'zod/mini';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import {
  answerTo,
  anyCall,
  handle,
  type AnswerMessage,
  type CallOf,
  type HandlersOf,
  type StateMessage,
} from '../../protocol/call.ts';
import type { editors } from '../contributions.ts';
import type { OpenPage, PagePort } from './page.ts';
import type { HostWindow } from './window.ts';

export interface PageTabOptions<P, R extends Record<keyof P, unknown>, S> {
  readonly type: (typeof editors)[keyof typeof editors];
  readonly title: string;
  /** The name of the script and the styles of the page. */
  readonly page: Parameters<OpenPage>[2];
  readonly window: Pick<HostWindow, 'context' | 'errors' | 'log'>;
  readonly openPage: OpenPage;
  readonly calls: z.ZodMiniType<CallOf<P>>;
  readonly handlers: HandlersOf<P, R>;
  readonly read: () => Promise<S>;
  /** Fires when the current state may have changed. */
  readonly onDidChange: Event<unknown>;
}

/** Milliseconds between two updates, since much of the page changes with each word of a reply. */
const minInterval = 500;

/** A tab with a page that shows a current state. A window has at most one of each kind. */
export class PageTab<P, R extends Record<keyof P, unknown>, S> implements Disposable {
  readonly #options: PageTabOptions<P, R, S>;
  #panel: vscode.WebviewPanel | undefined;
  #port: PagePort | undefined;
  #listening: readonly Disposable[] = [];
  #waiting: Disposable | undefined;
  #isPosting = false;
  #isOutdated = false;
  /** Number of times that a page was loaded. */
  #loads = 0;

  constructor(options: PageTabOptions<P, R, S>) {
    this.#options = options;
  }

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
    const { page, window, openPage, onDidChange } = this.#options;
    const { extensionUri } = window.context;
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    this.#panel = panel;
    this.#port = openPage(panel.webview, extensionUri, page);
    this.#listening = [
      this.#port.listen((message) => background(this.#answer(message))),
      onDidChange(() => this.update()),
      panel.onDidChangeViewState(() => this.update()),
      panel.onDidDispose(() => this.#forget()),
    ];
  }

  /** Posts the current state after a moment, if the tab is visible. */
  update(): void {
    if (this.#panel?.visible !== true) return;
    const { title, window } = this.#options;
    this.#waiting ??= systemClock.after(minInterval, () => {
      this.#waiting = undefined;
      this.post().catch((error: unknown) => window.log.error(`Showing “${title}”`, error));
    });
  }

  /** Posts the current state. Changes during the post are posted after it. */
  async post(): Promise<void> {
    this.#isOutdated = true;
    if (this.#isPosting) return;
    this.#isPosting = true;
    try {
      while (this.#isOutdated) {
        this.#isOutdated = false;
        this.#send({ type: 'state', state: await this.#options.read() });
      }
    } finally {
      this.#isPosting = false;
    }
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  /** Answers a request of the page, unless it was loaded again: its ids mean other requests then. */
  async #answer(message: unknown): Promise<void> {
    const { data } = anyCall.safeParse(message);
    if (data === undefined) return;
    const { calls, handlers, window } = this.#options;
    const result = (): unknown => {
      const call = calls.parse(data.call);
      if (call.name === 'ready') this.#loads++;
      return handle<P, R, keyof P>(handlers, call);
    };
    const answer = answerTo(data.id, result, window.errors.refusal);
    const loads = this.#loads;
    const settled = await answer;
    if (loads === this.#loads) this.#send(settled);
  }

  #send(message: StateMessage<S> | AnswerMessage): void {
    this.#port?.post(message);
  }

  #forget(): void {
    disposeAll(this.#listening);
    this.#listening = [];
    this.#waiting?.dispose();
    this.#waiting = undefined;
    this.#panel = undefined;
    this.#port = undefined;
  }
}
