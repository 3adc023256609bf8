import * as vscode from 'vscode';
import { anyEvent } from '../core/support/event.ts';
import type { Chat } from '../host/chat/chat.ts';
import type { ChatNotices } from '../host/chat/chatNotices.ts';
import type { ChatPanel } from '../host/chat/chatPanel.ts';
import type { Listen } from '../host/chat/page.ts';
import { commandRunner, type CommandHandlers, type RunCommand } from '../host/commands.ts';
import { UsageStatusBar, type UsageOptions } from '../host/usage/statusBar.ts';
import { usageOfChat } from '../host/usage/usageTable.ts';
import { UsageView } from '../host/usage/usageView.ts';
import { createBase, createChatStorage, type Base } from './base.ts';
import { createChat, createNotices, createPanel, createToolAccess } from './chat.ts';
import { createConnectionServices, type ConnectionServices } from './connection.ts';
import { closeOldReviews, createFeatures, type Features } from './features.ts';

/** What `activate` passes calls to. */
export interface Aside {
  /** Shows the chat in a view whose page is loading. */
  readonly showIn: (view: vscode.WebviewView, listen: Listen) => void;
  readonly run: RunCommand;
  /** One of the tools that other chats may use. */
  readonly exposedTool: (name: string) => Promise<vscode.LanguageModelTool<unknown>>;
  /** Resolves when everything that was shown is saved. */
  readonly flush: () => Promise<void>;
}

/** Creates every object once and connects them. Sends nothing and reads nothing of a workspace. */
export function createAside(context: vscode.ExtensionContext, item: vscode.StatusBarItem): Aside {
  const base = createBase(context);
  const connection = createConnectionServices(base);
  const storage = createChatStorage(context);
  const features: Features = createFeatures({
    base,
    connection,
    storage,
    chat: () => chat,
    panel: () => panel,
  });
  const access = createToolAccess(base, connection);
  const saved = (): Promise<void> => panel.flush();
  const chat: Chat = createChat({ base, connection, features, access, saved });
  const panel: ChatPanel = createPanel(chat, { base, connection, features, access, storage });
  const notices = createNotices(base, chat, panel);
  const usageOptions = createUsageOptions(base, connection, chat, notices);
  context.subscriptions.push(
    base.output,
    base.settings,
    panel,
    notices,
    ...connection.disposables,
    new UsageStatusBar(item, usageOptions),
    { dispose: () => disposeFeatures(features) },
  );
  const usage = new UsageView(usageOptions);
  closeOldReviews(features);
  return {
    showIn(view, listen) {
      panel.showIn(view, listen);
      watchContext(view, chat, features);
    },
    flush: async () => {
      await Promise.all([panel.close(), connection.ledger.close()]);
    },
    exposedTool: async (name) => (await features.tools.load()).exposedTool(name),
    run: commandRunner(
      {
        ...connectionHandlers(connection, panel),
        ...chatHandlers(chat, panel),
        ...featureHandlers(features, panel),
        showUsage: () => usage.show(),
        resetUsage: () => usage.reset(),
        showLog: () => base.log.show(),
      },
      async (...given) => (await features.code.load()).run(...given),
      (error, what) => base.errors.show(error, what),
    ),
  };
}

function createUsageOptions(
  { settings }: Base,
  { ledger, choice }: ConnectionServices,
  chat: Chat,
  notices: ChatNotices,
): UsageOptions {
  return {
    ledger,
    settings,
    model: () => choice.current().id,
    chat: () => usageOfChat(chat.conversation),
    waiting: () => notices.statusText,
    onDidChange: anyEvent<unknown>(choice.onDidChange, chat.onDidReplace, notices.onDidChange),
  };
}

/** What is still being created is disposed of as soon as it exists. */
function disposeFeatures({ tools, attachments, code, reviews }: Features): void {
  for (const { loading } of [tools, attachments, code, reviews]) {
    void loading?.then((feature) => feature.dispose());
  }
}

/** Follows the selection and the instruction files while the view is visible. */
function watchContext(view: vscode.WebviewView, chat: Chat, { attachments }: Features): void {
  const watch = async (): Promise<void> => {
    if (vscode.workspace.isTrusted || attachments.value !== undefined) {
      (await attachments.load()).watch(view.visible);
    }
  };
  const listening = vscode.Disposable.from(
    view.onDidChangeVisibility(watch),
    vscode.workspace.onDidGrantWorkspaceTrust(watch),
  );
  view.onDidDispose(() => {
    listening.dispose();
    attachments.value?.watch(false);
  });
  // The page comes first.
  void chat.restored().then(watch);
}

function connectionHandlers({ connection, ui }: ConnectionServices, panel: ChatPanel) {
  /** The person goes on with a message, unless they cancelled the command. */
  const write = (): Promise<void> => panel.reveal(false);
  return {
    connect: async () => (await ui.load()).commands.connect(write),
    setApiKey: async () => (await ui.load()).commands.setApiKey(write),
    removeApiKey: async () => (await ui.load()).commands.removeApiKey(),
    openConsole: async () => (await ui.load()).commands.openConsole(),
    useDemo: async () => {
      await Promise.all([connection.useDemo(), write()]);
    },
    selectModel: async () => (await ui.load()).picker.selectModel(write),
  } satisfies Partial<CommandHandlers>;
}

function chatHandlers(chat: Chat, panel: ChatPanel) {
  return {
    newChat: () => panel.newChat(),
    ask: (prompt, options) => panel.ask(prompt, options),
    stop: () => chat.stop(),
    retry: () => panel.retry(),
  } satisfies Partial<CommandHandlers>;
}

function featureHandlers(
  { code, attachments, tools, reviews, history }: Features,
  panel: ChatPanel,
) {
  return {
    openChat: async (given) => (await history.load()).open(given),
    acceptEdit: async (given) => (await reviews.load()).decide('accept', given),
    rejectEdit: async (given) => (await reviews.load()).decide('reject', given),
    allowEdit: async () => (await reviews.load()).decideCall('once'),
    denyEdit: async () => (await reviews.load()).decideCall('deny'),
    writeCommitMessage: async (clicked) => (await code.load()).commitMessage.write(clicked),
    stopCommitMessage: async () => (await code.load()).commitMessage.stop(),
    explainTerminal: async () => (await code.load()).explainTerminal(),
    addToChat: async (...given) => {
      // What is typed from now on belongs into the message, not into the selection.
      const adding = attachments.load().then((loaded) => loaded.add(given[0], given[1]));
      panel.composer.waitFor(adding);
      await Promise.all([adding, panel.reveal(false)]);
    },
    showRequest: async () => (await attachments.load()).showRequest(),
    manageTools: async () => (await tools.load()).manage(),
  } satisfies Partial<CommandHandlers>;
}
