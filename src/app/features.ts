import * as vscode from 'vscode';
import { lazy, type Lazy } from '../core/support/async.ts';
import { background } from '../core/support/background.ts';
import { Emitter } from '../core/support/event.ts';
import type { LoadedPresets } from '../host/presets/chatPreset.ts';
import { systemClock } from '../core/support/clock.ts';
import type { Consents } from '../host/approval/consents.ts';
import type { ImageFiles } from '../host/chat/imageFiles.ts';
import type { JournalFiles } from '../host/journal/journalFiles.ts';
import type { OpenChat } from '../host/chat/openChat.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import type { RecentChats } from '../host/chat/recentChats.ts';
import type { Leases } from '../host/leases.ts';
import { requireImageInput } from '../host/imageLimits.ts';
import type { OpenPage } from '../host/page.ts';
import { settingsOfModel } from '../host/settingValues.ts';
import type { UsageOptions } from '../host/usage/statusBar.ts';
import type { RequestTab } from '../host/request/requestTab.ts';
import type { ShortenChat } from '../host/request/shortenChat.ts';
import { ChatTrash, eraseExpired } from '../host/history/trash.ts';
import type { AttachmentFeatures, AttachmentFeaturesOptions } from './attachments.ts';
import type { Base } from './hostWindow.ts';
import type { CodeFeatures } from './code.ts';
import type { ChatHistory } from '../host/history/chatHistory.ts';
import { reviewScheme } from '../host/contributions.ts';
import { modelFor, serviceChanges } from '../host/connection/modelChoice.ts';
import type { ModelProvider } from '../host/provider/modelProvider.ts';
import type { TerminalCommands } from '../host/terminal/terminalCommands.ts';
import type { OpenReviews } from '../host/review/openReviews.ts';
import type { ConnectionServices } from './connection.ts';
import type { KeptChatFeatures } from './keptChats.ts';
import type { ToolFeatures } from './tools.ts';
import type { UsageFeatures } from './usage.ts';

/** Features that are loaded when they are first used. */
export interface Features {
  readonly tools: Lazy<ToolFeatures>;
  readonly attachments: Lazy<AttachmentFeatures>;
  readonly code: Lazy<CodeFeatures>;
  /** The presets that chats can have. */
  readonly presets: LoadedPresets;
  readonly reviews: Lazy<OpenReviews>;
  /** Commands that ran in terminals since this was first loaded. */
  readonly terminals: Lazy<TerminalCommands>;
  readonly keptChats: Lazy<KeptChatFeatures>;
  readonly history: Lazy<ChatHistory>;
  readonly usage: Lazy<UsageFeatures>;
  /** The models for VS Code's own chat and for other extensions. */
  readonly models: Lazy<ModelProvider>;
  readonly request: Lazy<RequestTab>;
  readonly shorten: Lazy<ShortenChat<OpenChat>>;
}

interface FeaturesOptions {
  readonly base: Base;
  readonly connection: ConnectionServices;
  readonly storage: JournalFiles;
  readonly imageFiles: ImageFiles;
  readonly leases: Leases;
  /** Functions, since chats need the features and are created after them. */
  readonly chats: () => OpenChats;
  readonly recent: () => RecentChats;
  readonly usage: () => UsageOptions;
  readonly openPage: OpenPage;
  readonly reveal: (preserveFocus: boolean) => Promise<void>;
}

export function createFeatures(options: FeaturesOptions): Features {
  const { base, connection, chats, reveal } = options;
  const { requireModel, tokensOf, serviceAccess, running } = connection;
  const trash = openTrash(options);
  const reviews = lazyReviews();
  const terminals = lazyTerminals();
  const consents = lazyConsents(base);
  const tools = lazyTools(options, reviews, trash);
  const attachments = lazyAttachments(
    options,
    { terminals, consents },
    {
      prompts: async () => (await code.load()).slashCommands(),
      presets: async () => (await code.load()).presets,
      toolNames: async () => (await (await tools.load()).forTurn()).toolbox.names,
    },
  );
  const presetChanges = new Emitter<unknown>();
  const code: Features['code'] = lazy(async () => {
    const { createCodeFeatures } = await import('./code.ts');
    return createCodeFeatures({
      ...base,
      onPresetChange: () => presetChanges.fire(undefined),
      chat: { send: (message, model) => chats().current().send(message, model) },
      reviews: await reviews.load(),
      terminals: await terminals.load(),
      consents: await consents.load(),
      service: serviceAccess,
      running,
      requireModel,
      lacks: lacksModel(connection),
      modelFor: (purpose) => () => modelFor(purpose, { ...base, ...connection }),
      tokensOf,
      reveal,
      maySend: async (uri, text) => (await attachments.load()).maySend(uri, text),
      instructionsFor: async (about) => (await attachments.load()).instructionsFor(about),
    });
  });
  const keptChats = lazyKept(options, trash);
  const history = lazyHistory(options, keptChats);
  return {
    tools,
    attachments,
    code,
    presets: loadedPresets(code, presetChanges.event),
    reviews,
    terminals,
    keptChats,
    history,
    usage: lazyUsage(options, history),
    request: lazyRequest(options, attachments),
    shorten: lazyShorten(options),
    models: lazyModels(options, consents),
  };
}

/** The ids of all saved chats, including deleted ones. */
async function storedChats(storage: JournalFiles, trash: ChatTrash): Promise<readonly string[]> {
  return [...(await storage.list()), ...(await trash.deleted()).map(({ id }) => id)];
}

function loadedPresets(
  code: Features['code'],
  onDidChange: LoadedPresets['onDidChange'],
): LoadedPresets {
  return {
    onDidChange,
    load: async () => (await code.load()).presets,
    get value() {
      return code.value?.presets;
    },
  };
}

function lazyTools(
  options: FeaturesOptions,
  reviews: Features['reviews'],
  trash: ChatTrash,
): Features['tools'] {
  const { base, connection, chats } = options;
  return lazy(async () => {
    const { createToolFeatures } = await import('./tools.ts');
    return createToolFeatures({
      ...base,
      chats: chats(),
      storedChats: () => storedChats(options.storage, trash),
      reviews: await reviews.load(),
      onDidChangeService: serviceChanges(connection.connection, connection.choice),
      tokensOf: connection.tokensOf,
    });
  });
}

function lazyAttachments(
  options: FeaturesOptions,
  { terminals, consents }: Pick<Features, 'terminals'> & { readonly consents: Lazy<Consents> },
  lists: Pick<AttachmentFeaturesOptions, 'prompts' | 'presets' | 'toolNames'>,
): Features['attachments'] {
  const { base, connection, chats } = options;
  return lazy(async () => {
    const { createAttachmentFeatures } = await import('./attachments.ts');
    return createAttachmentFeatures({
      ...base,
      chats: chats(),
      tokensOf: connection.tokensOf,
      requireImages: () => requireImagesOf(options),
      selectedModel: () => connection.choice.current().id,
      terminals: await terminals.load(),
      consents: await consents.load(),
      ...lists,
    });
  });
}

function lazyKept(options: FeaturesOptions, trash: ChatTrash): Features['keptChats'] {
  return lazy(async () => {
    const { createKeptChatFeatures } = await import('./keptChats.ts');
    const onDidChange = (): void => background(options.recent().refresh());
    const open = options.chats();
    return createKeptChatFeatures({ ...options.base, ...options, trash, open, onDidChange });
  });
}

function lazyHistory(
  options: FeaturesOptions,
  keptChats: Features['keptChats'],
): Features['history'] {
  const { base, storage, chats } = options;
  return lazy(async () => {
    const { createChatHistory } = await import('./history.ts');
    const deleted = async () => (await keptChats.load()).deletion.deleted();
    return createChatHistory({ ...base, storage, opening: chats(), deleted });
  });
}

function lazyUsage(options: FeaturesOptions, history: Features['history']): Features['usage'] {
  return lazy(async () => {
    const { createUsageFeatures } = await import('./usage.ts');
    return createUsageFeatures({
      ...options,
      chats: options.chats(),
      usage: options.usage(),
      titles: async () => (await history.load()).titles(),
    });
  });
}

function lazyRequest(
  options: FeaturesOptions,
  attachments: Features['attachments'],
): Features['request'] {
  return lazy(async () => {
    const { createRequestTab } = await import('./request.ts');
    const loaded = await attachments.load();
    return createRequestTab({ ...options, chats: options.chats(), attachments: loaded });
  });
}

function lazyShorten(options: FeaturesOptions): Features['shorten'] {
  return lazy(async () => (await import('./request.ts')).createShortenChat(options));
}

function lazyReviews(): Features['reviews'] {
  return lazy(async () => {
    const { OpenReviews: Reviews } = await import('../host/review/openReviews.ts');
    return new Reviews();
  });
}

/** Everything that asks for consent shares the answers. */
function lazyConsents({ context, node }: Base): Lazy<Consents> {
  return lazy(async () => {
    const { createWindowConsents } = await import('../host/approval/windowConsents.ts');
    return createWindowConsents(context, node?.machine());
  });
}

function lazyTerminals(): Features['terminals'] {
  return lazy(async () => {
    const { TerminalCommands: Commands } = await import('../host/terminal/terminalCommands.ts');
    return new Commands();
  });
}

function lazyModels(
  { base, connection }: FeaturesOptions,
  consents: Lazy<Consents>,
): Features['models'] {
  return lazy(async () => {
    const { createModelProvider } = await import('./provider.ts');
    return createModelProvider(base, connection, await consents.load());
  });
}

/** True for a model that its service is known not to have. */
function lacksModel({ connection, catalog, demoModels }: ConnectionServices) {
  return (model: string): boolean => {
    const { id, origin } = connection.placeOf(model);
    if (connection.isDemo) return !demoModels.includes(model);
    return origin !== undefined && catalog.lacks(origin, id);
  };
}

/** @throws {UserError} if the selected model takes no images */
function requireImagesOf({ base, connection }: FeaturesOptions): void {
  const { id } = connection.choice.current();
  requireImageInput(id, settingsOfModel(base.settings.current(), id));
}

/** Opens the trash, and erases chats that were deleted too long ago. */
function openTrash({ base, chats, imageFiles }: FeaturesOptions): ChatTrash {
  const { keptFiles, log } = base;
  const trash = new ChatTrash(keptFiles);
  // A chat owns the texts from before its changes, and its draft.
  const forget = async (id: string): Promise<void> => {
    const { ChangeFiles } = await import('../host/changes/changeFiles.ts');
    await new ChangeFiles(keptFiles.folder('changes')).removeChat(id);
    await chats().forget(id);
  };
  const now = systemClock.wall();
  const erasing = [eraseExpired(trash, forget, now), imageFiles.removeStray(now)];
  for (const work of erasing)
    work.catch((error: unknown) => log.error('Removing deleted chats', error));
  return trash;
}

/** Closes reviews left by an extension host that crashed. Nothing in them can be accepted. */
export function closeOldReviews({ reviews }: Features): void {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const isReview = ({ input }: vscode.Tab): boolean =>
    input instanceof vscode.TabInputTextDiff && input.modified.scheme === reviewScheme;
  if (tabs.some(isReview)) background(reviews.load());
}
