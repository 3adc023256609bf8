import * as vscode from 'vscode';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent, type Disposable, type Event } from '../core/support/event.ts';
import { lazy, lazyMethods } from '../core/support/lazy.ts';
import type { ConversationEvent } from '../core/conversation/events.ts';
import { createChatStorage } from '../host/chat/chatStorage.ts';
import { OpenChats } from '../host/chat/openChats.ts';
import { sendInFocus } from '../host/panel/sendInFocus.ts';
import { watchContext } from '../host/panel/watchContext.ts';
import { CommandContext } from '../host/commandContext.ts';
import type { RunCommand } from '../host/commands.ts';
import { readDemoTexts } from '../host/connection/demoTexts.ts';
import type { Keys } from '../host/connection/keys.ts';
import { createConnection } from '../host/connection/feature.ts';
import { commands, editors, reviewScheme } from '../host/contributions.ts';
import { notify } from '../host/dialogs.ts';
import { followSteps } from '../host/help/windowSteps.ts';
import type { Listen, OpenPage } from '../host/page.ts';
import { BudgetNotices } from '../host/usage/budgetNotices.ts';
import { usageContext, UsageStatusBar } from '../host/usage/statusBar.ts';
import { isDiffOpen, type HostWindow } from '../host/workspace/window.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';
import { createDemo } from '../local/demo.ts';
import { createNotices, createUsageOptions, showChats } from './chats.ts';
import { createCommandRunner } from './commandFeatures.ts';
import { createFeatures, disposeFeatures, type Features } from './features.ts';
import { createHostWindow } from './hostWindow.ts';
import type { WindowScope } from './windowScope.ts';

/** The extension once it is loaded, as `activate` uses it. */
export interface Aside {
  /** Shows the chat in the view, whose page is loading. */
  readonly showIn: (view: vscode.WebviewView, listen: Listen) => void;
  /** Called for actions in the title of the view, which is outside its page. */
  readonly noteFocus: () => void;
  /** Shows a chat again in a tab that was open before a reload; `state` is what its page kept. */
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
    onDidEvent: eventsOf(chats),
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

/** What features of the window need, and needs none of them. */
function createScope(window: HostWindow, keys: Keys, openPage: OpenPage): WindowScope {
  const { extensionUri, workspaceState: state } = window.context;
  const demo = createDemo(() => readDemoTexts(extensionUri));
  const connection = createConnection(window, keys, demo);
  const storage = createChatStorage(window);
  const chats = new OpenChats({ state, leases: storage.leases, clock: systemClock });
  const notices = createNotices(window, chats);
  return {
    window,
    connection,
    storage,
    chats,
    notices,
    usage: createUsageOptions(window, connection, chats, notices),
    openPage,
    askInChat: (message) => sendInFocus(message, chats, connection),
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

/** Fires for each event of an open chat. */
function eventsOf(chats: OpenChats): Event<ConversationEvent> {
  return (listener) =>
    chats.onDidChange(({ change }) => {
      if (change.type === 'event') listener(change.event);
    });
}

/** Shows budget notices in the window that has the focus. */
function createBudgetNotices({ window, connection, chats, usage }: WindowScope): Disposable {
  const { context, settings } = window;
  const { ledger, budgets, onDidChange } = usage;
  return new BudgetNotices({
    budgets,
    settings: () => settings.current().budget,
    state: context.globalState,
    isWanted: () => settings.current().notify === 'all' && vscode.window.state.focused,
    isReplying: () => chats.focused.chat.isBusy,
    context: () => usageContext(settings),
    notify: (message, buttons) => notify('information', message, ...buttons),
    run: (action) => vscode.commands.executeCommand(commands[action]),
    onDidChange: anyEvent<unknown>(ledger.onDidChange, settings.onDidChange, onDidChange),
    onDidAlert: connection.service.onDidExceedBudget,
  });
}

/** Follows tasks. What tells of one that failed is loaded when the first of them starts. */
function watchTasks({ window, connection }: WindowScope, { terminal }: Features): Disposable {
  const { explainTask } = lazyMethods(terminal.load, 'explainTask');
  const notices = lazy(async () =>
    (await import('../host/terminal/windowTasks.ts')).createTaskNotices(window, {
      isModelSelected: () => connection.choice.current().id !== '',
      explain: explainTask,
    }),
  );
  const { started, ended } = lazyMethods(notices.load, 'started', 'ended');
  return vscode.Disposable.from(
    vscode.tasks.onDidStartTaskProcess(({ execution, processId }) =>
      background(started(execution, processId)),
    ),
    vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) =>
      background(ended(execution, exitCode)),
    ),
  );
}
