import { lazyMethods } from '../core/support/lazy.ts';
import { ChatMemento } from '../host/chat/chatMemento.ts';
import type { ChatPageOptions } from '../host/panel/chatPage.ts';
import { ChatPanel } from '../host/panel/chatPanel.ts';
import { ChatTabs } from '../host/panel/chatTabs.ts';
import { ChatView } from '../host/panel/chatView.ts';
import type { Features } from './features.ts';
import type { WindowScope } from './windowScope.ts';
import * as vscode from 'vscode';
import { type ChatMode, modeOfMessage } from '../core/conversation/mode.ts';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import type { ChatOptions } from '../host/chat/chat.ts';
import { accountOf } from '../host/chat/chatAccount.ts';
import {
  chatTools,
  limitOfTurn,
  mayHaveInstructions,
  promptSettings,
  requireImagesTaken,
  textsOf,
} from '../host/chat/chatSettings.ts';
import { LastMode, ModeModel } from '../host/chat/modeModel.ts';
import { type ChatStart, OpenChat } from '../host/chat/openChat.ts';
import { modelForPage } from '../host/panel/sendInFocus.ts';
import { showCopied, showUnreadError, storeTexts } from '../host/chat/storeMessages.ts';
import { findDiagramSupport } from '../host/diagramSupport.ts';
import { ChatPreset } from '../host/presets/chatPreset.ts';
import { findStarters } from '../host/workspace/starters.ts';
import { usageContext } from '../host/usage/statusBar.ts';
import { replyCost } from '../host/usage/usageCauses.ts';
import { firstFolder } from '../host/workspace/window.ts';
import { windowFocus } from '../host/windowFocus.ts';

/** The places that show chats, and the commands on the one in focus. */
export interface ShownChats {
  readonly view: ChatView;
  readonly tabs: ChatTabs;
  readonly panel: ChatPanel;
}

/** Opens the chat of the sidebar, and creates the places that show chats. */
export function showChats(scope: WindowScope, features: Features): ShownChats {
  const { window, connection, chats, notices, storage, openPage } = scope;
  chats.begin({
    create: (start) => createOpenChat({ scope, features }, start),
    hasNews: (open) => notices.hasNews(open),
    isHeld: ({ chat }) => features.tools.value?.hasGrants(chat.conversation.id) === true,
  });
  const { references } = lazyMethods(features.context.load, 'references');
  const actions: Pick<ChatPageOptions, 'keepDraft' | 'references' | 'refusal'> = {
    async keepDraft(id, draft) {
      const state = new ChatMemento({ state: window.context.workspaceState, id: () => id });
      const mayBeKept = await connection.service.check([draft.text]).then(
        () => true,
        () => false,
      );
      await state.update('aside.draft', mayBeKept && draft.text !== '' ? draft : undefined);
    },
    references,
    refusal: window.errors.refusal,
  };
  const view = new ChatView({ ...actions, chats });
  chats.addPlace(view);
  notices.onDidChangeBadge((badge) => view.setBadge(badge));
  notices.onDidChange(() => {
    features.recent.update();
    chats.closeUnneeded();
  });
  const isSaved = async (id: string): Promise<boolean> =>
    (await storage.journals.list()).includes(id);
  const { extensionUri } = window.context;
  const tabs = new ChatTabs({ ...actions, chats, isSaved, extensionUri, openPage });
  const { choice: model, requireModel } = connection;
  const panel = new ChatPanel({ chats, sidebar: view, model, requireModel });
  return { view, tabs, panel };
}

interface ChatScopeOptions {
  readonly scope: WindowScope;
  readonly features: Features;
}

/** Opens a chat with the current service, model and settings. */
function createOpenChat(options: ChatScopeOptions, start: ChatStart): OpenChat {
  const { scope, features } = options;
  const { window, connection, storage, chats } = scope;
  const { journals, images, locks } = storage;
  const { service, ratios, tools } = connection;
  const account = accountOf(() => open);
  const model = new ModeModel({ choice: connection.choice, mode: () => open.chat.mode });
  const preset = new ChatPreset({
    chosen: () => open.chat.conversation.preset,
    presets: features.presets,
    model,
  });
  const open: OpenChat = new OpenChat({
    ...viewActions(options),
    requireModel: (mode) =>
      preset.requireModel(() => model.resolve(() => modelForPage(connection, chats), mode)),
    preset,
    start,
    chat: {
      ...chatOptions(options, () => open, preset),
      loadImages: (attached) => open.images.load(attached),
    },
    imageFiles: images,
    settings: window.settings,
    connection: {
      onDidChange: connection.connection.onDidChange,
      get state() {
        return connection.connection.stateOf(preset.model.current().id);
      },
    },
    model: preset.model,
    budgetLeft: (model) => service.budgetLeft(account, model),
    costOf: (turn, chat) =>
      replyCost(turn, chat, connection.ledger.log, usageContext(window.settings)),
    toolAccess: tools,
    tokensOf: (model, characters) => ratios.estimate(model, characters, 'prompt'),
    storage: journals,
    locks,
    state: window.context.workspaceState,
    workspace: firstFolder(),
    clock: systemClock,
    ...storeTexts(journals.location),
    onError: (what, error) => window.log.error(what, error),
    onUnread: (tryAgain) => background(showUnreadError(tryAgain)),
    onRefused: (error) => background(window.errors.show(error, 'Sending a message')),
    onCopied: showCopied,
    recent: features.recent,
    starters: findStarters(),
    diagrams: findDiagramSupport(vscode.extensions),
    windowFocus,
    attachments: {
      handle: async (call) => (await features.attachments.load()).forChat(open).handle(call),
    },
  });
  return open;
}

/** Everything that a turn of the chat needs besides its images. */
function chatOptions(
  { scope, features }: ChatScopeOptions,
  open: () => OpenChat,
  preset: ChatPreset,
): ChatOptions {
  const { settings, context: extension } = scope.window;
  const account = accountOf(open);
  const lastMode = new LastMode(extension.globalState);
  const mode = (): ChatMode => open().chat.mode;
  const { service, tools, describe, connection } = scope.connection;
  const { forTurn } = lazyMethods(features.tools.load, 'forTurn');
  const context = lazyMethods(features.context.load, 'prepare');
  return {
    clock: systemClock,
    proposedMode: () => lastMode.current,
    meter: service.meter,
    connect: (model) => service.connect('chat', model, account),
    asSent: (request) => service.asSent(request, account),
    async tools({ model, question }) {
      const ofTurn = (): ChatMode => modeOfMessage(question, mode());
      if (mode() === 'chat' || tools.obstacle(model) !== undefined) return undefined;
      const { toolbox: allowed, maxRounds } = await forTurn();
      const limit = limitOfTurn(model, settings.current(), connection.isDemo);
      const all = chatTools(allowed, open(), ofTurn);
      const toolbox = scope.chats.isAside(open()) ? all?.runningReading : all;
      return toolbox && { toolbox, maxRounds, limit };
    },
    describe,
    async prepare(about, mayAsk) {
      await preset.refresh();
      if (mayHaveInstructions()) await context.prepare(about, mayAsk);
      if (mode() === 'chat' || !settings.current().tools.enabled) return;
      const { skills } = await features.context.load();
      await (mayAsk ? skills.prepare() : skills.read());
    },
    settings(model) {
      const context = features.context.value;
      const instructions = context?.instructions.used ?? [];
      const skills = context?.skills.listed ?? [];
      const ofChat = { settings, preset, instructions, skills, mode: mode() };
      const { service: sentTo } = connection.placeOf(model);
      return { ...promptSettings(model, ofChat), service: sentTo };
    },
    async checkMessage(message, models) {
      const values = settings.current();
      await service.check(textsOf(message));
      requireImagesTaken(message, models, values);
    },
  };
}

/** The actions of pages on a chat, besides sending messages. */
function viewActions({ scope, features }: ChatScopeOptions) {
  const { chats, connection } = scope;
  const { code, tools, history } = features;
  const pickers = () => connection.ui.load().then(({ picker }) => picker);
  const actions = () => tools.load().then((loaded) => loaded.actions);
  const restores = () => tools.load().then((loaded) => loaded.restores);
  const replies = () => code.load().then((loaded) => loaded.replies);
  return {
    ...lazyMethods(pickers, 'pickModel'),
    ...lazyMethods(code.load, 'expand'),
    noteStarter: connection.demo.noteStarter,
    focus: () => chats.reveal(false),
    asides: {
      create: () => chats.create(),
      // A tab may show it, too.
      discard: async (side: OpenChat) =>
        chats.isPlaced(side) ? undefined : (await history.load()).discard(side.id),
    },
    tools: lazyMethods(actions, 'decide', 'review', 'change', 'endProcesses'),
    restores: lazyMethods(restores, 'find', 'review', 'restore', 'undo', 'redo'),
    replies: lazyMethods(
      replies,
      ...(['open', 'apply', 'newFile', 'insert', 'runInTerminal', 'preview'] as const),
    ),
  };
}
