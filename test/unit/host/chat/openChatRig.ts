import assert from 'node:assert/strict';
import { isTaintedChat } from '../../../../src/core/approval/grants.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { newId } from '../../../../src/core/support/id.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  emptyConversation,
  type Attachment,
} from '../../../../src/core/conversation/conversation.ts';
import type { ImageUrls } from '../../../../src/core/turn/messagePieces.ts';
import { LiveConversation } from '../../../../src/core/conversation/liveConversation.ts';
import { ChatLocks } from '../../../../src/host/chat/chatLocks.ts';
import { MemoryLocks } from '../../../support/memoryLocks.ts';
import { ImageFiles } from '../../../../src/host/chat/imageFiles.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import type { AttachmentCallName } from '../../../../src/host/attachments/messageAttachments.ts';
import type { Chat, ChatHost, ChatOptions, ChatStart } from '../../../../src/host/chat/chat.ts';
import type { RestoreFiles, ToolActions } from '../../../../src/host/chat/chatHandlers.ts';
import type { PageWindow } from '../../../../src/host/chat/chatPage.ts';
import type { ComposerWindow } from '../../../../src/host/chat/composerHandlers.ts';
import type { ChatPlace, OpenChats } from '../../../../src/host/chat/openChats.ts';
import { RecentChats } from '../../../../src/host/chat/recentChats.ts';
import type { ModelChoice } from '../../../../src/host/service/models.ts';
import type { Handlers } from '../../../../src/protocol/rpc.ts';
import { readSettings } from '../../../../src/host/platform/settingValues.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { noStorage } from '../../../support/memoryStorage.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { only } from '../../../support/only.ts';
import { noEvents } from '../../../support/noEvents.ts';
import { settled } from '../../../support/settled.ts';
import { FakeMemento } from '../fakes.ts';

const modules = await withoutVsCode(() =>
  Promise.all([
    import('../../../../src/host/chat/chat.ts'),
    import('../../../../src/host/chat/openChats.ts'),
    import('../../../../src/host/chat/chatPage.ts'),
    import('../../../../src/host/context/chatPreset.ts'),
    import('../../../../src/host/chat/chatHandlers.ts'),
    import('../../../../src/host/chat/composerHandlers.ts'),
    import('../../../../src/host/chat/messageModels.ts'),
  ]),
);
const [
  { Chat: ChatClass },
  { OpenChats: OpenChatsClass },
  { ChatPage: ChatPageClass },
  { ChatPreset },
  { chatHandlers, replyHandlers, toolHandlers },
  { composerHandlers },
  { MessageModels },
] = modules;
export { ChatPageClass as Page };

/** How a chat of a test sends. By default, there is no service, and there are no tools. */
export type TestHost = Partial<ChatHost>;

type Storing = ChatOptions['storing'];

export interface ChatRigOptions
  extends Partial<Omit<Storing, 'workspace'>>, Partial<Pick<ComposerWindow, 'expand' | 'discard'>> {
  /** The service of the chat; `chat` may have another one. */
  readonly client?: Client;
  readonly chat?: TestHost;
  readonly create?: () => Chat;
  /** The selected model; "m" if absent. */
  readonly requireModel?: () => Promise<string>;
  /** The model that the settings assign to a mode, if they do. */
  readonly modelOf?: ModelChoice['of'];
  readonly pickModel?: () => Promise<string | undefined>;
  readonly unsaved?: string;
  readonly imageFiles?: ImageFiles;
  readonly attachments?: Partial<Handlers<AttachmentCallName>>;
  readonly restores?: Partial<RestoreFiles>;
  readonly questions?: ToolActions['questions'];
  readonly onRefused?: (error: unknown) => void;
}

const noImages = new DiskFiles(join(tmpdir(), 'aside-without-images'));

/** Locks that no other window takes, which set no timer on the clock of the test. */
function ownLocks(): ChatLocks {
  const host = { machine: 'm', id: 1, isRunning: () => true };
  return new ChatLocks(new MemoryLocks(), host, new ManualClock());
}

/**
 * A chat with its journal, draft and queue. Nothing of it is stored, and nothing replies, unless the
 * test says where and who.
 */
export function openChat(start: ChatStart, options: ChatRigOptions = {}): Chat {
  const { client, requireModel, pickModel, modelOf, onRefused, ...others } = options;
  const {
    chat: host,
    create,
    expand,
    discard,
    unsaved,
    imageFiles,
    attachments,
    restores,
    questions = { answer: () => false },
    ...storing
  } = others;
  const { clock = new ManualClock(), state = new FakeMemento(), locks = ownLocks() } = storing;
  const settings = readSettings(
    () => ({}),
    () => undefined,
  );
  const model = {
    onDidChange: noEvents,
    current: () => ({ id: 'm', fromWorkspace: false, missing: false }),
  };
  const presets = {
    onDidChange: noEvents,
    current: () => undefined,
    accepted: () => ({}),
    instructions: () => [],
  };
  const preset = new ChatPreset(() => undefined, only(presets), model);
  const windowSettings = {
    onDidChange: noEvents,
    current: () => settings,
    requestOptions: () => ({}),
    refusedOptions: () => [],
    effortOf: () => undefined,
    setEffort: () => Promise.reject(new Error('not used')),
  };
  const toolAccess = {
    obstacle: () => 'setting' as const,
    tryAgain: () => Promise.resolve(),
    onDidChange: noEvents,
  };
  const chat = new ChatClass({
    start,
    conversation: new LiveConversation(emptyConversation(start.id)),
    host: () => ({
      clock,
      settings: () => ({ instructions: '', stream: true, options: {} }),
      meter: { estimate: (_, characters) => characters, learn: () => undefined },
      connect: () =>
        client === undefined
          ? Promise.reject(new Error('not connected'))
          : Promise.resolve({ client, demo: false }),
      checkMessage: () => Promise.resolve(),
      tools: () => Promise.resolve(undefined),
      describe: (error) => ({ kind: 'x', message: String(error) }),
      ...host,
    }),
    preset,
    models: (opened) =>
      new MessageModels(
        opened,
        { of: modelOf ?? (() => undefined) },
        { requireModel: requireModel ?? (() => Promise.resolve('m')) },
        only({ ...(pickModel && { pickModel }) }),
      ),
    storing: {
      storage: noStorage,
      workspace: 'w',
      onError: () => undefined,
      onUnread: () => undefined,
      ...storing,
      clock,
      state,
      locks,
    },
    images: imageFiles ?? new ImageFiles(noImages),
    window: {
      clock,
      settings: windowSettings,
      connection: { onDidChange: noEvents, stateOf: () => ({ kind: 'service', host: 'api.test' }) },
      toolAccess,
      service: { budgetLeft: () => undefined },
      starters: { current: () => ({}), onDidChange: noEvents },
      diagrams: { current: () => false, onDidChange: noEvents },
      windowFocus: { isFocused: () => true, onDidChange: noEvents },
      unsaved: unsaved ?? '',
      recent: new RecentChats({
        read: () => Promise.resolve([]),
        isUnread: () => false,
        onError: () => undefined,
      }),
    },
    calls: (opened) => ({
      ...chatHandlers(opened, only(restores)),
      ...composerHandlers(opened, only(attachments), {
        expand: expand ?? ((message) => Promise.resolve({ message })),
        noteStarter: () => undefined,
        discard: discard ?? (() => assert.fail()),
        isTainted: (chat) => isTaintedChat(chat, () => false),
        chats: only({
          create: create ?? (() => openChat({ id: newId(), origin: 'new' }, options)),
          isPlaced: () => false,
        }),
      }),
      ...toolHandlers(opened, only({ questions }), toolAccess, windowSettings),
      ...replyHandlers(opened, only(), only(), () => assert.fail()),
    }),
  });
  if (onRefused !== undefined) chat.onDidRefuse(onRefused);
  return chat;
}

/** How a test reads images, instead of files. */
export type LoadImages = (attachments: readonly Attachment[]) => Promise<ImageUrls>;

/** A new chat that nothing is stored of. */
export function testChat(chat: TestHost, loadImages?: LoadImages): Chat {
  const imageFiles =
    loadImages &&
    Object.assign(new ImageFiles(noImages), {
      load: (_: string, attachments: readonly Attachment[]) => loadImages(attachments),
    });
  return openChat(
    { id: newId(), origin: 'new' },
    { chat, ...(chat.clock && { clock: chat.clock }), ...(imageFiles && { imageFiles }) },
  );
}

/** What the pages of a window share, when they store nothing and find nothing. */
export function pagesOf(chats: OpenChats): PageWindow {
  return {
    chats,
    keepDraft: () => Promise.reject(new Error('closed')),
    references: () => Promise.resolve([]),
    refusal: String,
  };
}

/** A view or a tab without a page. */
export class FakePlace implements ChatPlace {
  readonly #chats: OpenChats;
  chat: Chat;
  isVisible = true;
  isInFront = false;
  revealed = 0;

  constructor(chats: OpenChats, chat = chats.inSidebar) {
    this.#chats = chats;
    this.chat = chat;
  }

  show(chat: Chat): void {
    this.chat = chat;
    this.#chats.saveSidebar(chat);
    this.#chats.notePlaces();
  }

  replace(chat: Chat): void {
    this.chat = chat;
  }

  reveal(): Promise<void> {
    this.revealed += 1;
    return Promise.resolve();
  }
}

/** The chats of a window, the last of which is in the side bar. */
export function openChats(
  chatOptions: ChatRigOptions = {},
  mostIdle?: number,
): { readonly chats: OpenChats; readonly sidebar: FakePlace } {
  const { clock = new ManualClock(), state = new FakeMemento() } = chatOptions;
  const { locks = ownLocks() } = chatOptions;
  const chats = new OpenChatsClass({ state, clock, locks, mostIdle });
  const ofAll = { create: () => chats.create(), ...chatOptions, clock, state, locks };
  chats.begin((start) => openChat(start, ofAll));
  const sidebar = new FakePlace(chats);
  chats.addPlace(sidebar);
  return { chats, sidebar };
}

/** The end of a reply without faults. */
export const replyEnd = {
  type: 'end' as const,
  completion: {
    toolCalls: [],
    finishReason: 'stop',
    doneSeen: true,
    malformedEvents: 0,
    usage: undefined,
    fault: undefined,
  },
} satisfies CompletionEvent;

/** A model that repeats the message, a word per step of the test. */
export class SlowModel {
  readonly #waiting = new Set<() => void>();

  readonly client: Client = {
    address: { baseUrl: '', origin: '', host: '' },
    stream: (request, signal) => this.#reply(String(request.messages.at(-1)?.content), signal),
  };

  /** Lets each running reply stream one word. */
  step(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const go of waiting) go();
  }

  /** Lets all replies end. */
  async finish(): Promise<void> {
    for (let round = 0; round < 4; round++) {
      await settled();
      this.step();
    }
    await settled();
  }

  async *#reply(message: string, signal?: AbortSignal): AsyncGenerator<CompletionEvent, void> {
    for (const part of [1, 2]) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        signal?.addEventListener('abort', () => resolve());
      });
      signal?.throwIfAborted();
      yield { type: 'text', text: `${message}-${part} ` };
    }
    yield replyEnd;
  }
}
