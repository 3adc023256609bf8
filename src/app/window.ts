import type * as vscode from 'vscode';
import { background } from '../core/support/background.ts';
import type { Event } from '../core/support/event.ts';
import { lazyMethods } from '../core/support/lazy.ts';
import { watchContext } from '../host/panel/watchContext.ts';
import { CommandContext } from '../host/commandContext.ts';
import type { RunCommand } from '../host/commands.ts';
import { editors, reviewScheme } from '../host/contributions.ts';
import { followSteps } from '../host/help/windowSteps.ts';
import type { Listen, OpenPage } from '../host/page.ts';
import { UsageStatusBar } from '../host/usage/statusBar.ts';
import { isDiffOpen } from '../host/workspace/window.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';
import { showChats } from './chats.ts';
import { createCommandRunner } from './commandFeatures.ts';
import { createFeatures, disposeFeatures, type Features } from './features.ts';
import { createHostWindow } from './hostWindow.ts';
import { createBudgetNotices, watchTasks } from './notices.ts';
import { createScope } from './windowScope.ts';

/** The extension once it is loaded, as `activate` uses it. */
export interface Aside {
  /** Shows the chat in the view, whose page is loading. */
  readonly showIn: (view: vscode.WebviewView, listen: Listen) => void;
  /** Called for actions in the title of the view, which is outside its page. */
  readonly noteFocus: () => void;
  /** Restores the chat of a tab after a reload; `state` is what its page saved. */
  readonly showInTab: (panel: vscode.WebviewPanel, listen: Listen, state: unknown) => void;
  /** Shows the usage or the next request again in a tab that was open before a reload. */
  readonly restoreTab: (type: string, panel: vscode.WebviewPanel) => Promise<void>;
  readonly run: RunCommand;
  /** One of the tools that other chats may use. */
  readonly exposedTool: (name: string) => Promise<vscode.LanguageModelTool<unknown>>;
  /** The models for VS Code's own chat and for other extensions. */
  readonly models: () => Promise<vscode.LanguageModelChatProvider>;
  /** Fires when these models or their details may have changed. */
  readonly onDidChangeModels: Event<unknown>;
  /** Resolves when everything that was shown is saved. */
  readonly flush: () => Promise<void>;
}

/**
 * Creates the objects that live as long as the window, in the order in which they need each other.
 * Sends nothing, reads nothing of a workspace.
 */
export function createAside(
  context: vscode.ExtensionContext,
  item: vscode.StatusBarItem,
  openPage: OpenPage,
  node: NodePlatform | undefined,
): Aside {
  const { window, keys, output } = createHostWindow(context, node);
  const scope = createScope(window, keys, openPage);
  const { connection, storage, chats, notices, usage } = scope;
  const features = createFeatures(scope);
  const panels = showChats(scope, features);
  const { view, tabs } = panels;
  const steps = followSteps(window, {
    connection: connection.connection,
    chats,
  });
  context.subscriptions.push(
    output,
    window.settings,
    storage.leases,
    chats,
    view,
    new CommandContext({ chats, running: connection.running }),
    notices,
    connection,
    new UsageStatusBar(item, usage),
    createBudgetNotices(scope),
    watchContext(chats, features.attachments),
    watchTasks(scope, features),
    { dispose: () => disposeFeatures(features) },
  );
  // Reviews left by an extension host that crashed are closed: nothing in them can be accepted.
  if (isDiffOpen(reviewScheme)) background(features.review.load());
  return {
    showIn: (webviewView, listen) => view.showIn(webviewView, listen),
    noteFocus: () => chats.noteFocus(view),
    showInTab: (webviewPanel, listen, state) => tabs.restore(webviewPanel, listen, state),
    restoreTab: (type, webviewPanel) => restoreTab(features, type, webviewPanel),
    flush: async () => {
      await Promise.all([chats.leave(), connection.ledger.close()]);
    },
    ...lazyMethods(features.tools.load, 'exposedTool'),
    models: features.models.load,
    onDidChangeModels: connection.choice.onDidChange,
    run: createCommandRunner(scope, features, panels, (id) => {
      // A command may open a list, and decides itself where the focus goes.
      view.releaseFocus();
      steps.noteCommand(id);
    }),
  };
}

async function restoreTab(
  { usage, request }: Features,
  type: string,
  panel: vscode.WebviewPanel,
): Promise<void> {
  const { tab } = await (type === editors.usage ? usage : request).load();
  tab.restore(panel);
}
