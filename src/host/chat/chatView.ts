import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import { HostChannel, type HostHandlers } from '../../protocol/hostChannel.ts';
import type { HostMessage, PanelState } from '../../protocol/messages.ts';
import { views } from '../contributions.ts';
import type { Chat } from './chat.ts';
import { page } from './page.ts';

export interface ChatViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly chat: Chat;
  readonly handlers: HostHandlers;
}

/** The panel in the sidebar. The host owns what it shows: a view can come and go at any time. */
export class ChatView implements vscode.WebviewViewProvider, Disposable {
  readonly #options: ChatViewOptions;
  readonly #disposables: Disposable[];
  #channel: HostChannel | undefined;
  #view: vscode.WebviewView | undefined;
  #focusWanted = false;

  constructor(options: ChatViewOptions) {
    this.#options = options;
    this.#disposables = [
      vscode.window.registerWebviewViewProvider(views.chat, this),
      options.chat.onDidChange((change) => {
        if (change.type === 'event') this.#channel?.postEvent(change.event);
        else this.#channel?.postSnapshot();
      }),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const folder = vscode.Uri.joinPath(this.#options.extensionUri, 'dist', 'webview');
    const { webview } = view;
    webview.options = {
      enableScripts: true,
      enableForms: false,
      enableCommandUris: false,
      localResourceRoots: [folder],
    };
    const channel = new HostChannel(
      {
        post: (message: HostMessage) => void webview.postMessage(message),
        listen: (listener: (message: unknown) => void) => webview.onDidReceiveMessage(listener),
      },
      { ...this.#options.handlers, snapshot: () => this.#firstSnapshot() },
    );
    this.#channel?.dispose();
    this.#channel = channel;
    this.#view = view;
    view.onDidDispose(() => {
      channel.dispose();
      if (this.#channel !== channel) return;
      this.#channel = undefined;
      this.#view = undefined;
    });
    webview.html = page(webview, folder, nonce());
  }

  postState(state: PanelState): void {
    this.#channel?.postState(state);
  }

  /** Shows the panel, and puts the cursor into it unless the editor should keep it. */
  async reveal(preserveFocus: boolean): Promise<void> {
    // A page that is hidden loads anew when it is shown, and takes the cursor only then.
    const shown = this.#view?.visible === true;
    this.#focusWanted = !preserveFocus;
    await vscode.commands.executeCommand(`${views.chat}.focus`, { preserveFocus });
    if (shown && this.#focusWanted) this.#focusWanted = this.#channel?.focus() !== true;
  }

  dispose(): void {
    disposeAll(this.#disposables);
    this.#channel?.dispose();
  }

  #firstSnapshot(): ReturnType<HostHandlers['snapshot']> {
    if (this.#focusWanted) queueMicrotask(() => this.#channel?.focus());
    this.#focusWanted = false;
    return this.#options.handlers.snapshot();
  }
}

function nonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, '');
}
