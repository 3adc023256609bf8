import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { Lazy } from '../../core/support/lazy.ts';
import type { OpenChats } from '../chat/openChats.ts';

interface WatchedContext {
  watch(isSeen: boolean): void;
}

/** Follows the selection and the instruction files while a chat is visible. */
export function watchContext(chats: OpenChats, context: Lazy<WatchedContext>): Disposable {
  const watch = async (): Promise<void> => {
    if (context.value === undefined) {
      const { visible } = chats.places;
      if (visible === undefined || !vscode.workspace.isTrusted) return;
      // Loading holds up this process: the page comes first.
      await visible.openChat.drawn;
    }
    const loaded = await context.load();
    loaded.watch(chats.places.visible !== undefined);
  };
  const listening = [
    chats.onDidShow(() => background(watch())),
    vscode.workspace.onDidGrantWorkspaceTrust(watch),
  ];
  return { dispose: () => disposeAll(listening) };
}
