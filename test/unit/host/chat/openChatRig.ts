import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { Clock } from '../../../../src/core/support/clock.ts';
import { newId } from '../../../../src/core/support/id.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImageFiles } from '../../../../src/host/chat/imageFiles.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import type { ChatOptions } from '../../../../src/host/chat/chat.ts';
import type { JournalStorage } from '../../../../src/host/journal/journal.ts';
import type { ChatLocks } from '../../../../src/host/chatLocks.ts';
import type { ChatStart, OpenChat, OpenChatOptions } from '../../../../src/host/chat/openChat.ts';
import type { ChatPlace } from '../../../../src/host/chat/chatPlaces.ts';
import type { OpenChats } from '../../../../src/host/chat/openChats.ts';
import { RecentChats } from '../../../../src/host/chat/recentChats.ts';
import type { Memento } from '../../../../src/host/memento.ts';
import { readSettings } from '../../../../src/host/settingValues.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { noEvents } from '../../../support/noEvents.ts';

const modules = await withoutVsCode(() =>
  Promise.all([
    import('../../../../src/host/chat/openChat.ts'),
    import('../../../../src/host/chat/openChats.ts'),
    import('../../../../src/host/panel/chatPage.ts'),
    import('../../../../src/host/presets/chatPreset.ts'),
  ]),
);
const [
  { OpenChat: OpenChatClass },
  { OpenChats: OpenChatsClass },
  { ChatPage: ChatPageClass },
  { ChatPreset },
] = modules;
export { ChatPageClass as Page };

export interface ChatRigOptions extends Partial<
  Pick<
    OpenChatOptions,
    | 'requireModel'
    | 'pickModel'
    | 'imageFiles'
    | 'expand'
    | 'elsewhere'
    | 'unfinished'
    | 'onCopied'
    | 'unsaved'
    | 'attachments'
    | 'asides'
    | 'restores'
  >
> {
  readonly clock: Clock;
  readonly state: Memento;
  readonly storage: JournalStorage;
  readonly locks?: ChatLocks;
  readonly chat: Pick<ChatOptions, 'connect'> & Partial<ChatOptions>;
}

const unused = (): Promise<never> => Promise.reject(new Error('not used'));

/** A chat with its journal, draft and queue. The test supplies the model. */
export function openChat(start: ChatStart, { chat, ...options }: ChatRigOptions): OpenChat {
  const { clock } = options;
  const settings = readSettings(
    () => ({}),
    () => undefined,
  );
  const replies = {
    open: unused,
    insert: unused,
    apply: unused,
    newFile: unused,
    runInTerminal: unused,
    preview: unused,
  };
  const model = {
    onDidChange: noEvents,
    current: () => ({ id: 'm', fromWorkspace: false, missing: false }),
  };
  const preset = new ChatPreset({
    chosen: () => undefined,
    presets: {
      onDidChange: noEvents,
      current: () => undefined,
      accepted: () => ({}),
      instructions: () => [],
      refresh: unused,
      accept: unused,
    },
    model,
  });
  return new OpenChatClass({
    start,
    preset,
    restores: { find: unused, review: unused, restore: unused, undo: unused, redo: unused },
    chat: { ...chatOptions(clock), ...chat },
    settings: {
      onDidChange: noEvents,
      current: () => settings,
      requestOptions: () => ({}),
      refusedOptions: () => [],
      effortOf: () => undefined,
      setEffort: unused,
    },
    connection: { onDidChange: noEvents, state: { kind: 'service', host: 'api.test' } },
    model,
    toolAccess: {
      obstacle: () => 'setting',
      tryAgain: () => Promise.resolve(),
      onDidChange: () => ({ dispose: () => undefined }),
    },
    tokensOf: (_, characters) => characters,
    budgetLeft: () => undefined,
    costOf: unused,
    imageFiles: new ImageFiles(new DiskFiles(join(tmpdir(), 'aside-without-images'))),
    workspace: 'w',
    starters: { current: () => ({}), onDidChange: noEvents },
    diagrams: { current: () => false, onDidChange: noEvents },
    windowFocus: { isFocused: () => true, onDidChange: noEvents },
    unsaved: '',
    interrupted: 'interrupted',
    onError: () => undefined,
    onUnread: () => undefined,
    onRefused: () => undefined,
    requireModel: () => Promise.resolve('m'),
    pickModel: unused,
    noteStarter: () => undefined,
    focus: unused,
    expand: (message) => Promise.resolve({ message }),
    tools: { decide: unused, review: unused, change: unused, endProcesses: unused },
    replies,
    attachments: { handle: unused },
    asides: {
      create: () => openChat({ id: newId(), origin: 'new' }, { chat, ...options }),
      discard: unused,
    },
    recent: new RecentChats({
      read: () => Promise.resolve([]),
      isUnread: () => false,
      onError: () => undefined,
    }),
    ...options,
  });
}

function chatOptions(clock: Clock): Omit<ChatOptions, 'connect'> {
  return {
    clock,
    settings: () => ({ instructions: '', stream: true, options: {} }),
    meter: { estimate: () => 0, learn: () => undefined },
    checkMessage: () => Promise.resolve(),
    tools: () => Promise.resolve(undefined),
    describe: (error) => ({ kind: 'x', message: String(error) }),
  };
}

/** A view or a tab without a page. */
export class FakePlace implements ChatPlace {
  readonly #chats: OpenChats;
  openChat: OpenChat;
  isVisible = true;
  isInFront = false;
  revealed = 0;

  constructor(chats: OpenChats, openChat = chats.inSidebar) {
    this.#chats = chats;
    this.openChat = openChat;
  }

  show(open: OpenChat): void {
    this.openChat = open;
    this.#chats.saveSidebar(open);
    this.#chats.notePlaces();
  }

  replace(open: OpenChat): void {
    this.openChat = open;
  }

  reveal(): Promise<void> {
    this.revealed += 1;
    return Promise.resolve();
  }
}

/** The chats of a window, the last of which is in the side bar. */
export function openChats(
  chatOptions: ChatRigOptions,
  hasNews: (open: OpenChat) => boolean = () => false,
  mostIdle?: number,
): { readonly chats: OpenChats; readonly sidebar: FakePlace } {
  const { state, clock, locks } = chatOptions;
  const create = (start: ChatStart): OpenChat => openChat(start, chatOptions);
  const chats = new OpenChatsClass({ state, clock, locks, mostIdle });
  chats.begin({ create, hasNews });
  const sidebar = new FakePlace(chats);
  chats.addPlace(sidebar);
  return { chats, sidebar };
}

/** A model that repeats the message, a word per step of the test. */
export class SlowModel {
  readonly #waiting = new Set<() => void>();

  readonly client: Client = {
    address: { baseUrl: '', origin: '', host: '' },
    listModels: () => Promise.resolve([]),
    stream: (request, signal) => this.#reply(String(request.messages.at(-1)?.content), signal),
  };

  /** Lets each running reply stream one word. */
  step(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const go of waiting) go();
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
    const fields = { usage: undefined, model: undefined, fault: undefined };
    const completion = { toolCalls: [], finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
    yield { type: 'end', completion: { ...completion, ...fields } };
  }
}
