import * as vscode from 'vscode';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import { isObject } from '../core/support/json.ts';
import { anyEvent, disposeAll, type Disposable, type Event } from '../core/support/event.ts';
import type { Chat } from '../host/chat/chat.ts';
import { ChatPanel } from '../host/chat/chatPanel.ts';
import { ChatTabs } from '../host/chat/chatTabs.ts';
import { ChatView } from '../host/chat/chatView.ts';
import { imagesIn } from '../core/conversation/attachedImage.ts';
import { ImageFiles } from '../host/chat/imageFiles.ts';
import { JournalFiles } from '../host/journal/journalFiles.ts';
import { NewChat } from '../host/chat/newChat.ts';
import type { OpenChat } from '../host/chat/openChat.ts';
import { OpenChats } from '../host/chat/openChats.ts';
import type { RecentChats } from '../host/chat/recentChats.ts';
import type { WindowNotices } from '../host/chat/windowNotices.ts';
import { CommandContext } from '../host/commandContext.ts';
import { commandRunner, type CommandHandlers, type RunCommand } from '../host/commands.ts';
import { commands, editors, walkthrough } from '../host/contributions.ts';
import { windowDialogs, notify } from '../host/dialogs.ts';
import type { Listen, OpenPage } from '../host/page.ts';
import { sentToWindow } from '../host/sentToWindow.ts';
import { setBudget } from '../host/usage/budgetCommand.ts';
import { BudgetNotices } from '../host/usage/budgetNotices.ts';
import { usageContext, UsageStatusBar, type UsageOptions } from '../host/usage/statusBar.ts';
import { usageOfChat } from '../host/usage/usageTable.ts';
import { WalkthroughSteps } from '../host/walkthrough.ts';
import { createBase, createLeases, type Base } from './hostWindow.ts';
import {
  createNotices,
  createOpenChat,
  createRecentChats,
  createToolAccess,
  pageOptions,
  type ChatWiring,
} from './chatScope.ts';
import { accountOf, createConnectionServices, type ConnectionServices } from './connection.ts';
import { closeOldReviews, createFeatures, type Features } from './features.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';
import { watchTasks } from './tasks.ts';

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

/** Creates the objects that live as long as the window. Sends nothing, reads nothing of a workspace. */
export function createAside(
  context: vscode.ExtensionContext,
  item: vscode.StatusBarItem,
  openPage: OpenPage,
  node: NodePlatform | undefined,
): Aside {
  const base = createBase(context, node);
  const connection = createConnectionServices(base);
  const [leases, files] = [createLeases(base, 'leases'), base.keptFiles.folder('chats')];
  const storage = new JournalFiles(files, systemClock, leases);
  const imageFiles = new ImageFiles(files);
  const reveal = (preserveFocus: boolean): Promise<void> => panel.reveal(preserveFocus);
  const services = { base, connection, storage, imageFiles, leases };
  const later = { chats: () => chats, recent: () => recent, usage: () => usageOptions };
  const features: Features = createFeatures({ ...services, ...later, openPage, reveal });
  const wiring = { ...services, features, access: createToolAccess(base, connection) };
  const { chats, view, notices, newChat, recent } = createChats(wiring, reveal);
  const { choice: model, requireModel } = connection;
  const tabs = createTabs(wiring, chats, openPage);
  const panel = new ChatPanel({ chats, sidebar: view, newChat, model, requireModel });
  const usageOptions = createUsageOptions(base, connection, chats, notices);
  const steps = watchSteps(base, connection, chats);
  context.subscriptions.push(
    base.output,
    base.settings,
    leases,
    chats,
    view,
    new CommandContext({ chats, running: connection.running }),
    notices,
    ...connection.disposables,
    new UsageStatusBar(item, usageOptions),
    createBudgetNotices(base, connection, chats, usageOptions),
    ...[watchContext(chats, features), watchTasks(base, connection, features)],
    { dispose: () => disposeFeatures(features) },
  );
  closeOldReviews(features);
  return {
    showIn: (webviewView, listen) => view.showIn(webviewView, listen),
    noteFocus: () => chats.noteFocus(view),
    showInTab: (webviewPanel, listen, state) => tabs.restore(webviewPanel, listen, state),
    restoreTab: (type, webviewPanel) => restoreTab(features, type, webviewPanel),
    flush: () => flushAll(chats, connection),
    exposedTool: async (name) => (await features.tools.load()).exposedTool(name),
    models: () => features.models.load(),
    onDidChangeModels: model.onDidChange,
    run: commandRunner(
      {
        ...connectionHandlers(connection, panel),
        ...chatHandlers(panel),
        stopAll: () => stopAll(chats, connection),
        openInEditor: (chat) => tabs.open(chat),
        ...featureHandlers(features, panel, chats),
        ...reviewHandlers(features, panel, chats),
        ...keptChatHandlers(features),
        ...usageHandlers(features, base),
        showLog: () => base.log.show(),
        ...helpHandlers(base, features),
      },
      async (name, argument, opened) => (await features.code.load()).run(name, argument, opened),
      (error, what) => base.errors.show(error, what),
      beforeCommand(view, steps),
    ),
  };
}

/** Gives up the view's focus: a command may open a list, and decides itself where the focus goes. */
function beforeCommand(view: ChatView, steps: WalkthroughSteps): (id: string) => void {
  return (id) => {
    view.releaseFocus();
    steps.noteCommand(id);
  };
}

async function flushAll(chats: OpenChats, { ledger }: ConnectionServices): Promise<void> {
  await Promise.all([chats.leave(), ledger.close()]);
}

interface WindowChats {
  readonly chats: OpenChats;
  readonly view: ChatView;
  readonly notices: WindowNotices;
  readonly newChat: NewChat<OpenChat>;
  readonly recent: RecentChats;
}

/** The chats of the window, and the view that shows them. */
function createChats(
  wiring: ChatWiring,
  reveal: (preserveFocus: boolean) => Promise<void>,
): WindowChats {
  const { base, features, leases } = wiring;
  const recent = createRecentChats(wiring, (id) =>
    chats.all.some((open) => open.id === id && notices.hasNews(open)),
  );
  const chats: OpenChats = new OpenChats({
    state: base.context.workspaceState,
    create: (start) => createOpenChat({ ...wiring, newChat: () => newChat, reveal, recent }, start),
    leases,
    clock: systemClock,
    hasNews: (open) => notices.hasNews(open),
    isHeld: ({ chat }) => features.tools.value?.hasGrants(chat.conversation.id) === true,
  });
  const newChat = new NewChat<OpenChat>(
    () => chats.create(),
    systemClock,
    (message, from, to) => background(to.images.takeFrom(from.id, imagesIn([message]))),
  );
  const view = new ChatView({ ...pageOptions(wiring), chats });
  const notices = createNotices(base, chats, view);
  chats.addPlace(view);
  notices.onDidChange(() => {
    recent.update();
    chats.closeUnneeded();
  });
  return { chats, view, notices, newChat, recent };
}

function createTabs(wiring: ChatWiring, chats: OpenChats, openPage: OpenPage): ChatTabs {
  const { extensionUri } = wiring.base.context;
  const isSaved = async (id: string): Promise<boolean> =>
    (await wiring.storage.list()).includes(id);
  return new ChatTabs({ ...pageOptions(wiring), chats, isSaved, extensionUri, openPage });
}

function createUsageOptions(
  { settings }: Base,
  { ledger, choice, serviceAccess, running }: ConnectionServices,
  chats: OpenChats,
  notices: WindowNotices,
): UsageOptions {
  const account = accountOf(() => chats.focused);
  return {
    ledger,
    settings,
    budgets: () => serviceAccess.usedBudgets(account),
    model: () => choice.current().id,
    chat: () => usageOfChat(chats.current().conversation),
    waiting: () => notices.waiting,
    isRunning: () => !running.isEmpty || busyChats(chats).length > 0,
    onDidChange: anyEvent<unknown>(
      choice.onDidChange,
      chats.onDidShow,
      notices.onDidChange,
      running.onDidChange,
    ),
  };
}

/** Shows budget notices in the window that has the focus. */
function createBudgetNotices(
  { context, settings }: Base,
  { serviceAccess }: ConnectionServices,
  chats: OpenChats,
  { ledger, budgets, onDidChange }: UsageOptions,
): Disposable {
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
    onDidAlert: serviceAccess.onDidExceedBudget,
  });
}

/** Disposes of features. One that is still loading is disposed of once it exists. */
function disposeFeatures(features: Features): void {
  const { tools, attachments, code, reviews, terminals, usage, request } = features;
  background(request.loading?.then((tab) => tab.dispose()));
  background(usage.loading?.then(({ tab }) => tab.dispose()));
  for (const { loading } of [tools, attachments, code, reviews, terminals]) {
    background(loading?.then((feature) => feature.dispose()));
  }
}

/** Follows the selection and the instruction files while a chat is visible. */
function watchContext(chats: OpenChats, { attachments }: Features): Disposable {
  const watch = async (): Promise<void> => {
    if (attachments.value === undefined) {
      const { visible } = chats;
      if (visible === undefined || !vscode.workspace.isTrusted) return;
      // Loading holds up this process: the page comes first.
      await visible.drawn;
      await sentToWindow();
    }
    (await attachments.load()).watch(chats.isSeen);
  };
  const listening = [
    chats.onDidShow(() => background(watch())),
    vscode.workspace.onDidGrantWorkspaceTrust(watch),
  ];
  return { dispose: () => disposeAll(listening) };
}

function watchSteps(
  { context, settings }: Base,
  { connection }: ConnectionServices,
  chats: OpenChats,
): WalkthroughSteps {
  const steps = new WalkthroughSteps({
    setContext: (key, value) =>
      background(vscode.commands.executeCommand('setContext', key, value)),
    state: context.globalState,
    clock: systemClock,
  });
  steps.noteConnection(connection.state);
  steps.noteSettings(settings.current());
  context.subscriptions.push(
    steps,
    connection.onDidChange((state) => steps.noteConnection(state)),
    settings.onDidChange(() => steps.noteSettings(settings.current())),
    // VS Code gives the walkthrough's tab no input.
    vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
      if (opened.some(({ input }) => input === undefined)) steps.noteOpened();
    }),
    chats.onDidChange(({ change }) => {
      if (change.type === 'event') steps.noteEvent(change.event);
    }),
  );
  return steps;
}

function connectionHandlers({ connection, ui }: ConnectionServices, panel: ChatPanel) {
  /** Focuses the composer: the person goes on with a message, unless they cancelled the command. */
  const write = (): Promise<void> => panel.reveal(false);
  return {
    connect: async () => (await ui.load()).commands.connect(write),
    setApiKey: async () => (await ui.load()).commands.setApiKey(write),
    removeApiKey: async () => (await ui.load()).commands.removeApiKey(),
    openConsole: async () => (await ui.load()).commands.openConsole(),
    manageConnection: async () => (await ui.load()).manage(),
    useDemo: async () => {
      await Promise.all([connection.useDemo(), write()]);
    },
    selectModel: async () => (await ui.load()).picker.selectModel(write),
    selectService: async () => (await ui.load()).services.selectService(write),
  } satisfies Partial<CommandHandlers>;
}

function usageHandlers({ usage }: Features, { settings }: Base) {
  const { env } = vscode;
  return {
    showUsage: async () => (await usage.load()).tab.show(),
    resetUsage: async () => (await usage.load()).commands.reset(),
    exportUsage: async (range) => (await usage.load()).commands.export(range),
    deleteUsage: async () => (await usage.load()).commands.delete(),
    setBudget: () => setBudget({ settings, dialogs: windowDialogs, language: env.language }),
  } satisfies Partial<CommandHandlers>;
}

async function restoreTab(
  { usage, request }: Features,
  type: string,
  panel: vscode.WebviewPanel,
): Promise<void> {
  const tab = type === editors.usage ? (await usage.load()).tab : await request.load();
  tab.restore(panel);
}

function chatHandlers(panel: ChatPanel) {
  return {
    newChat: () => panel.newChat(),
    ask: (prompt, options) => panel.ask(prompt, options),
    stop: () => panel.stop(),
    retry: () => panel.retry(),
    compare: (request) => panel.compare(request),
  } satisfies Partial<CommandHandlers>;
}

function busyChats(chats: OpenChats): readonly Chat[] {
  return chats.all.map(({ chat }) => chat).filter(({ isBusy }) => isBusy);
}

/** `aside.stopAll`: stops each chat as its own button does. */
function stopAll(chats: OpenChats, { running }: ConnectionServices): void {
  const busy = busyChats(chats);
  if (running.isEmpty && busy.length === 0)
    windowDialogs.showInformation(vscode.l10n.t('No requests are running.'));
  for (const chat of busy) chat.stop();
  running.stop();
}

function keptChatHandlers({ keptChats }: Features) {
  return {
    renameChat: async (chats, title) => (await keptChats.load()).commands.rename(chats, title),
    forkChat: async (chat, turn) => (await keptChats.load()).commands.fork(chat, turn),
    pinChat: async (chats) => (await keptChats.load()).commands.pin(chats),
    copyChat: async (chats) => (await keptChats.load()).commands.copy(chats),
    exportChat: async (chats, target) => (await keptChats.load()).commands.export(chats, target),
    importChat: async (files) => (await keptChats.load()).commands.import(files),
    deleteChat: async (chats) => (await keptChats.load()).commands.delete(chats),
    deleteAllChats: async () => (await keptChats.load()).deletion.deleteAll(),
  } satisfies Partial<CommandHandlers>;
}

function helpHandlers(base: Base, features: Features) {
  const { id } = base.context.extension;
  return {
    help: () => showHelp(base, features),
    openWalkthrough: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${id}#${walkthrough.id}`),
  } satisfies Partial<CommandHandlers>;
}

/** `aside.help` */
async function showHelp({ context }: Base, { attachments }: Features): Promise<void> {
  const { helpText } = await import('../host/help.ts');
  const text = helpText(context.extension.packageJSON);
  await (await attachments.load()).showMarkdown(vscode.l10n.t('Aside Help'), text);
}

function featureHandlers(
  { code, attachments, tools, reviews, history, request, shorten }: Features,
  panel: ChatPanel,
  chats: OpenChats,
) {
  return {
    openChat: async (chat) => (await history.load()).open(chat),
    acceptEdit: async (hunk) => (await reviews.load()).decide('accept', hunk),
    rejectEdit: async (hunk) => (await reviews.load()).decide('reject', hunk),
    allowEdit: async () => (await reviews.load()).decideCall('once'),
    denyEdit: async () => (await reviews.load()).decideCall('deny'),
    writeCommitMessage: async (clicked) => (await code.load()).commitMessage.write(clicked),
    stopCommitMessage: async () => (await code.load()).commitMessage.stop(),
    explainTerminal: async () => (await code.load()).explainTerminal(),
    explainLastCommand: async () => (await code.load()).explainLastCommand(),
    addToChat: async (...args) => {
      // Text typed from now on belongs in the message, not in the selection.
      const open = chats.focused;
      const adding = attachments.load().then((loaded) => loaded.add(open, args));
      open.composer.waitFor(adding);
      await Promise.all([adding, panel.reveal(false)]);
    },
    showRequest: async (options) => {
      const tab = await request.load();
      await (isTextWanted(options) ? tab.showText() : tab.show());
    },
    shortenChat: async () => (await shorten.load()).run(chats.focused),
    manageTools: async () => (await tools.load()).manage(),
  } satisfies Partial<CommandHandlers>;
}

function reviewHandlers({ code }: Features, panel: ChatPanel, chats: OpenChats) {
  return {
    reviewChanges: async (clicked) => (await code.load()).comments.review.run(clicked),
    fixReviewComment: async (comment) => (await code.load()).comments.commands.fix(comment),
    resolveReviewComment: async (comment) => (await code.load()).comments.commands.resolve(comment),
    unresolveReviewComment: async (comment) =>
      (await code.load()).comments.commands.unresolve(comment),
    deleteReviewComment: async (comment) => (await code.load()).comments.commands.delete(comment),
    deleteReviewComments: async () => (await code.load()).comments.commands.deleteAll(),
    addReviewCommentToChat: async (comment) => {
      const { composer } = chats.focused;
      const attach = async (): Promise<void> => {
        const { comments } = await code.load();
        for (const attachment of await comments.commands.attachments(comment))
          composer.attach(attachment);
      };
      const attaching = attach();
      composer.waitFor(attaching);
      await Promise.all([attaching, panel.reveal(false)]);
    },
  } satisfies Partial<CommandHandlers>;
}

/** True if `aside.showRequest` should open a document instead of the tab. */
function isTextWanted(options: unknown): boolean {
  return isObject(options) && options['asText'] === true;
}
