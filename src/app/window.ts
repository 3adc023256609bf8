import * as vscode from 'vscode';
import { background, reported } from '../core/support/background.ts';
import { anyEvent, type Disposable, disposeAll, type Event } from '../core/support/event.ts';
import { type Lazy, lazy, lazyMethods } from '../core/support/lazy.ts';
import { CommandContext } from '../host/commandContext.ts';
import { commandRunner, type RunCommand } from '../host/commands.ts';
import { editors, reviewScheme } from '../host/contributions.ts';
import type { Listen, OpenPage } from '../host/page.ts';
import { usageContext, UsageStatusBar } from '../host/usage/statusBar.ts';
import { isDiffOpen } from '../host/workspace/window.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';
import { showChats, type ShownChats } from './chats.ts';
import { createFeatures, disposeFeatures, type Features } from './features.ts';
import { createHostWindow } from './hostWindow.ts';
import { createScope, type WindowScope } from './windowScope.ts';
import { followSteps } from '../host/help/walkthrough.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import { toolCharacters } from '../core/turn/prompt.ts';
import { chatTools } from '../host/chat/chatHost.ts';
import { LastMode } from '../host/chat/modes.ts';
import { chatCommands } from '../host/panel/feature.ts';
import { BudgetNotices, tellOfBudget } from '../host/usage/budgetNotices.ts';

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
    noteFocus: () => chats.setFocused(view),
    showInTab: (webviewPanel, listen, state) => tabs.restore(webviewPanel, listen, state),
    async restoreTab(type, webviewPanel) {
      const { tab } = await (type === editors.usage ? features.usage : features.request).load();
      tab.restore(webviewPanel);
    },
    flush: async () => {
      const ending = reported(Promise.resolve(features.tools.value?.endCommands()));
      await Promise.all([chats.leave(), connection.ledger.close(), ending]);
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

/** Follows the selection and the instruction files while a chat is visible. */
function watchContext(chats: OpenChats, context: Features['attachments']): Disposable {
  const watch = async (): Promise<void> => {
    if (context.value === undefined) {
      const { visible } = chats.places;
      if (visible === undefined || !vscode.workspace.isTrusted) return;
      // Loading holds up this process: the page comes first.
      await visible.chat.panel.drawn;
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

/**
 * Runs commands by the features that handle them. A new command needs no line here.
 *
 * @param onWillRun called before each command, with its id
 */
function createCommandRunner(
  scope: WindowScope,
  features: Features,
  { tabs, panel }: ShownChats,
  onWillRun: (id: string) => void,
): RunCommand {
  const { window, connection, chats } = scope;
  const { running } = connection;
  const { add: attach } = lazyMethods(features.attachments.load, 'add');
  const { forTurn } = lazyMethods(features.tools.load, 'forTurn');
  const { attachments } = lazyMethods(features.comments.load, 'attachments');
  const pickers = () => connection.ui.load().then(({ picker }) => picker);
  const { pickFurther } = lazyMethods(pickers, 'pickFurther');
  const ofChats = chatCommands({
    chats,
    panel,
    tabs,
    running,
    attach,
    commentAttachments: attachments,
    pickFurther,
    ...lazyMethods(features.code.load, 'expand'),
    lastMode: new LastMode(window.context.globalState),
    async toolsOf(chat, mode) {
      const { id } = chat.preset.model.current();
      if (mode === 'chat' || connection.tools.obstacle(id) !== undefined)
        return { count: 0, tokens: 0 };
      const { toolbox } = await forTurn();
      const definitions =
        chatTools(
          toolbox,
          chat.preset,
          () => chat.conversation,
          () => mode,
        )?.definitions ?? [];
      const tokens = connection.ratios.estimate(id, toolCharacters(definitions), 'prompt');
      return { count: definitions.length, tokens };
    },
  });
  return commandRunner({
    features: {
      chat: () => ofChats,
      async connection() {
        const { commandsFor } = await connection.ui.load();
        return commandsFor(
          () => chats.reveal(false),
          () => chats.lastFocused.panel.costs.inModels(),
        );
      },
      history: commandsOf(features.history),
      review: commandsOf(features.review),
      code: commandsOf(features.code),
      commit: commandsOf(features.commit),
      comments: commandsOf(features.comments),
      terminal: commandsOf(features.terminal),
      request: commandsOf(features.request),
      tools: commandsOf(features.tools),
      usage: commandsOf(features.usage),
      help: commandsOf(features.help),
    },
    runOnCode: lazyMethods(features.code.load, 'run').run,
    showError: (error, what) => window.errors.show(error, what),
    onWillRun,
  });
}

/** Loads a feature when one of its commands first runs. */
function commandsOf<Commands>(
  feature: Lazy<{ readonly commands: Commands }>,
): () => Promise<Commands> {
  return async () => (await feature.load()).commands;
}

/** Shows budget notices in the window that has the focus. */
function createBudgetNotices({ window, connection, chats, usage }: WindowScope): Disposable {
  const { context, settings } = window;
  const { ledger, budgets, onDidChange } = usage;
  return new BudgetNotices({
    budgets,
    state: context.globalState,
    mayTell: () =>
      settings.current().notify === 'all' && vscode.window.state.focused && !chats.focused.isBusy,
    tell: (budget) => tellOfBudget(budget, usageContext(settings)),
    onDidChange: anyEvent<unknown>(ledger.onDidChange, settings.onDidChange, onDidChange),
    onDidExceed: connection.service.onDidExceedBudget,
  });
}

/** Offers to explain tasks that fail. The notices are loaded when the first task starts. */
function watchTasks({ window, connection }: WindowScope, { terminal }: Features): Disposable {
  const { explainTask } = lazyMethods(terminal.load, 'explainTask');
  const notices = lazy(async () =>
    (await import('../host/terminal/taskNotices.ts')).createTaskNotices(window, {
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
