import * as vscode from 'vscode';
import type { ChosenPreset } from '../core/conversation/conversation.ts';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import type { ImageUrls } from '../core/turn/messagePieces.ts';
import type { ChatOptions } from '../host/chat/chat.ts';
import { ChatPreset } from '../host/presets/chatPreset.ts';
import { ChatMemento } from '../host/chat/chatMemento.ts';
import type { ChatPageOptions } from '../host/chat/chatPage.ts';
import type { ChatView } from '../host/chat/chatView.ts';
import type { ImageFiles } from '../host/chat/imageFiles.ts';
import type { JournalFiles } from '../host/journal/journalFiles.ts';
import type { Leases } from '../host/leases.ts';
import type { NewChat } from '../host/chat/newChat.ts';
import { OpenChat, type ChatStart, type OpenChatOptions } from '../host/chat/openChat.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import { findDiagramSupport } from '../host/diagramSupport.ts';
import { findStarters } from '../host/workspace/starters.ts';
import { RecentChats } from '../host/chat/recentChats.ts';
import { WindowNotices } from '../host/chat/windowNotices.ts';
import { windowDialogs, notify } from '../host/dialogs.ts';
import { outlineUrl } from '../core/support/image.ts';
import { UserError } from '../host/errors.ts';
import { requireImageInput } from '../host/imageLimits.ts';
import { settingsOfModel } from '../host/settingValues.ts';
import { ModelsWithoutTools, ToolAccess } from '../host/tools/toolAccess.ts';
import type { ChatAccount } from '../host/usage/requestAdmission.ts';
import type { Base } from './hostWindow.ts';
import { accountOf, type ConnectionServices } from './connection.ts';
import type { Features } from './features.ts';

export interface ChatWiring {
  readonly base: Base;
  readonly connection: ConnectionServices;
  readonly features: Features;
  readonly access: ToolAccess;
  readonly storage: JournalFiles;
  readonly imageFiles: ImageFiles;
  readonly leases: Leases;
}

interface OpenChatWiring extends ChatWiring {
  readonly recent: RecentChats;
  readonly newChat: () => NewChat<OpenChat>;
  /** Shows the chat in focus. */
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

/** Decides which models get tools. */
export function createToolAccess(base: Base, { connection }: ConnectionServices): ToolAccess {
  const withoutTools = new ModelsWithoutTools(base.context.globalState);
  return new ToolAccess({
    settings: base.settings,
    placeOf: (model) => connection.placeOf(model),
    withoutTools,
  });
}

/** Opens a chat, which uses the service, the model and the settings of the moment. */
export function createOpenChat(wiring: OpenChatWiring, start: ChatStart): OpenChat {
  const { base, connection, features, access, storage, imageFiles, leases, newChat } = wiring;
  const { settings, log } = base;
  const { attachments } = features;
  const account = accountOf(() => open);
  const preset = createChatPreset(wiring, () => open.chat.conversation.preset);
  const actions = viewActions(wiring);
  const open: OpenChat = new OpenChat({
    ...actions,
    requireModel: () => preset.requireModel(actions.requireModel),
    preset,
    start,
    chat: {
      ...chatOptions(wiring, account, preset),
      loadImages: (images) => open.images.load(images),
    },
    imageFiles,
    settings,
    connection: {
      onDidChange: connection.connection.onDidChange,
      get state() {
        return connection.connection.stateOf(preset.model.current().id);
      },
    },
    model: preset.model,
    budgetLeft: (model) => connection.serviceAccess.budgetLeft(account, model),
    hasTools: (model) => access.allows(model),
    tokensOf: (model, characters) => connection.ratios.estimate(model, characters, 'prompt'),
    storage,
    leases,
    state: base.context.workspaceState,
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
    clock: systemClock,
    ...storeTexts(storage),
    onError: (what, error) => log.error(what, error),
    onUnread: (tryAgain) => background(showUnreadError(tryAgain)),
    onCopied: showCopied,
    onRefused: (error) => background(base.errors.show(error, 'Sending a message')),
    confirmTakeOver,
    chatFor: (message, model) => newChat().chatFor(open, message, model),
    recent: wiring.recent,
    starters: findStarters(),
    diagrams: findDiagramSupport(vscode.extensions),
    pickModels: async (estimate) => (await connection.ui.load()).picker.pickModels(estimate),
    attachments: {
      handle: async (call) => (await attachments.load()).forChat(open).handle(call),
    },
  });
  return open;
}

function createChatPreset(
  { connection, features }: ChatWiring,
  chosen: () => ChosenPreset | undefined,
): ChatPreset {
  return new ChatPreset({
    chosen,
    presets: features.presets,
    model: connection.choice,
  });
}

function storeTexts(storage: JournalFiles) {
  return {
    interrupted: vscode.l10n.t('The window was closed or reloaded during the reply.'),
    leftRunning: vscode.l10n.t("The other window was closed during the reply, or didn't respond."),
    elsewhere: vscode.l10n.t('This chat is open in another window. Select Continue Here first.'),
    lostMessage: vscode.l10n.t("(This message couldn't be read.)"),
    unsaved: vscode.l10n.t(
      "This chat can't be saved in {0} right now. It's kept in memory.",
      storage.location,
    ),
  };
}

async function showUnreadError(tryAgain: () => void): Promise<void> {
  const message = vscode.l10n.t("The last chat couldn't be read. The saved data was kept.");
  const again = vscode.l10n.t('Try Again');
  if ((await notify('error', message, again)) === again) tryAgain();
}

function showCopied(): void {
  const message = vscode.l10n.t(
    "Another window has continued this chat. What wasn't saved here by then is kept in this copy.",
  );
  background(notify('warning', message));
}

function confirmTakeOver(): Promise<boolean> {
  return windowDialogs.confirm(
    vscode.l10n.t('The other window is still replying. Continue here and stop it there?'),
    vscode.l10n.t('The text received so far is kept.'),
    vscode.l10n.t('Continue Here'),
  );
}

function chatOptions(wiring: ChatWiring, account: ChatAccount, preset: ChatPreset): ChatOptions {
  const { base, connection, features, access } = wiring;
  const { settings } = base;
  const { serviceAccess } = connection;
  const { tools, attachments } = features;
  return {
    ...serviceAccess,
    connect: (purpose, model) => serviceAccess.connect(purpose, model, account),
    asSent: (request) => serviceAccess.asSent(request, account),
    async tools({ model }) {
      if (!access.allows(model)) return undefined;
      const { toolbox: allowed, ...others } = await (await tools.load()).forTurn();
      const toolbox = preset.toolsOf(allowed);
      return toolbox && { ...others, toolbox };
    },
    onToolsRefused: (model) => background(access.refused(model)),
    describe(error, model) {
      const { id, origin } = connection.connection.placeOf(model);
      if (origin !== undefined) background(connection.catalog.noteError(origin, id, error));
      return serviceAccess.describe(error, model);
    },
    async prepare(about) {
      await preset.refresh();
      if (mayHaveInstructions()) await (await attachments.load()).prepare(about);
    },
    clock: systemClock,
    settings(model) {
      const values = settings.current();
      const { instructions, stream } = values;
      const files = [...(attachments.value?.instructions() ?? []), ...preset.files];
      const { contextWindow, images: takesImages } = settingsOfModel(values, model);
      const ofPreset = preset.options(settings.refusedOptions(model));
      const options = { ...settings.requestOptions(model), ...ofPreset };
      const images = takesImages === true ? outlines : undefined;
      return { instructions, files, stream, options, contextWindow, images };
    },
    checkMessage(message, models) {
      const hasImages = message.attachments.some(({ image }) => image !== undefined);
      const values = settings.current();
      const check = (): void => {
        for (const model of hasImages ? models : [])
          requireImageInput(model, settingsOfModel(values, model));
      };
      const texts = [message.text, ...message.attachments.map(({ text }) => text)];
      return serviceAccess.check(texts).then(check);
    },
  };
}

/** Stand-ins for images that have not been read yet: enough to estimate their tokens. */
const outlines: ImageUrls = ({ image }) => image && outlineUrl(image);

/** Instruction files are read only in a workspace that the person trusts. */
function mayHaveInstructions(): boolean {
  return vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined;
}

type ViewActions = Pick<
  OpenChatOptions,
  'requireModel' | 'pickModel' | 'expand' | 'tools' | 'restores' | 'replies' | 'focus'
>;

/** The actions of pages besides sending messages. */
function viewActions({ connection, features, reveal }: OpenChatWiring): ViewActions {
  const { tools, code } = features;
  const { connection: service, choice, requireModel, ui } = connection;
  return {
    /** Returns the focus to the page that sends a message, if the person had to connect first. */
    async requireModel() {
      const { id } = choice.current();
      const isReady = service.stateOf(id).kind !== 'none' && id !== '';
      const model = await requireModel();
      if (!isReady) await reveal(false);
      return model;
    },
    pickModel: async () => (await ui.load()).picker.pickModel(),
    focus: () => reveal(false),
    expand: async (message) => (await code.load()).expand(message),
    tools: {
      decide: async (turn, call, decision) =>
        (await tools.load()).actions.decide(turn, call, decision),
      review: async (turn, call, path) => (await tools.load()).actions.review(turn, call, path),
      change: async (turn, change, action) =>
        (await tools.load()).actions.change(turn, change, action),
    },
    restores: {
      find: async (scope) => (await tools.load()).restores.find(scope),
      review: async (scope) => (await tools.load()).restores.review(scope),
      restore: async (scope) => (await tools.load()).restores.restore(scope),
      undo: async (chat, restore) => (await tools.load()).restores.undo(chat, restore),
      redo: async (chat, restore) => (await tools.load()).restores.redo(chat, restore),
    },
    replies: {
      open: async (path, line) => (await code.load()).replies.open(path, line),
      apply: async (block) => (await code.load()).replies.apply(block),
      newFile: async (block) => (await code.load()).replies.newFile(block),
      insert: async (text) => (await code.load()).replies.insert(text),
      runInTerminal: async (text) => (await code.load()).replies.runInTerminal(text),
      preview: async (diagram) => (await code.load()).replies.preview(diagram),
    },
  };
}

type PageOptions = Pick<ChatPageOptions, 'keepDraft' | 'references' | 'refusal'>;

/** Options of pages that don't depend on the chat they show. */
export function pageOptions({ base, connection, features }: ChatWiring): PageOptions {
  const { errors, context, log } = base;
  return {
    async keepDraft(id, draft) {
      const state = new ChatMemento({ state: context.workspaceState, id: () => id });
      const check = connection.serviceAccess.check([draft.text]);
      const mayBeKept = await check.then(
        () => true,
        () => false,
      );
      await state.update('aside.draft', mayBeKept && draft.text !== '' ? draft : undefined);
    },
    references: async (words) => (await features.attachments.load()).references(words),
    /** The page shows the text only for what the person did. */
    refusal(error) {
      if (error instanceof UserError) return error.message;
      const { kind, message } = errors.text(error);
      if (kind !== 'refused' && kind !== 'stopped') log.error('A request of the panel', error);
      return message;
    },
  };
}

/** Creates the saved chats that empty chats offer. */
export function createRecentChats(
  { base, features }: ChatWiring,
  isUnread: (chat: string) => boolean,
): RecentChats {
  return new RecentChats({
    isUnread,
    read: async () => (await features.history.load()).recent(),
    onError: (error) => base.log.error('Reading the recent chats', error),
  });
}

/** Creates the badge and the notifications about chats that are not visible. */
export function createNotices({ settings }: Base, chats: OpenChats, view: ChatView): WindowNotices {
  return new WindowNotices({
    chats,
    setBadge: (badge) => view.setBadge(badge),
    focus: {
      isFocused: () => vscode.window.state.focused,
      onDidChange: (listener) => vscode.window.onDidChangeWindowState(listener),
    },
    level: () => settings.current().notify,
    notify: async (message, button) => (await notify('information', message, button)) === button,
    reveal: (open) => chats.show(open.id),
    clock: systemClock,
  });
}
