import { join } from 'node:path';
import { dialogsWith } from '../../../support/dialogsWith.ts';
import { isTaintedChat } from '../../../../src/core/approval/grants.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import type { Conversation, UserMessage } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import type { Composer } from '../../../../src/host/attachments/composer.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { ChatLocks } from '../../../../src/host/chat/chatLocks.ts';
import type { OpenChats } from '../../../../src/host/chat/openChats.ts';
import { RecentChats } from '../../../../src/host/chat/recentChats.ts';
import { UnsavedText } from '../../../../src/host/chat/unsavedText.ts';
import type { FileDialogs } from '../../../../src/host/chat/chatFiles.ts';
import { ChatHeads } from '../../../../src/host/chat/chatHeads.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { ImageFiles } from '../../../../src/host/chat/imageFiles.ts';
import { ChatTrash } from '../../../../src/host/chat/trash.ts';
import type { JournalFiles } from '../../../../src/host/chat/journalFiles.ts';
import { diskJournals } from '../../../support/diskJournals.ts';
import { diskVsCode } from '../../../support/diskVsCode.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { MemoryText } from './memoryJournals.ts';
import { openChats } from './openChatRig.ts';
import { FakeMemento } from '../fakes.ts';
import { turnStart } from '../../../support/turns.ts';

const { SavedChats, ChatFiles, Deletion, SavedChatCommands } = await withFakeVsCode(
  diskVsCode,
  async () => {
    const { SavedChats } = await import('../../../../src/host/chat/savedChats.ts');
    const { ChatFiles } = await import('../../../../src/host/chat/chatFiles.ts');
    const { Deletion } = await import('../../../../src/host/chat/deletion.ts');
    const { SavedChatCommands } = await import('../../../../src/host/chat/savedChatCommands.ts');
    return { SavedChats, ChatFiles, Deletion, SavedChatCommands };
  },
);

/** A window with one open chat, and the commands on saved chats. */
export class SavedRig {
  readonly clock = new ManualClock();
  /** The recent chats that an empty chat offers. */
  readonly recent: RecentChats;
  readonly state = new FakeMemento();
  readonly storage: JournalFiles;
  readonly trash: ChatTrash;
  readonly images: ImageFiles;
  readonly locks: ChatLocks;
  /** Those of another window. */
  readonly otherLocks: ChatLocks;
  readonly chatFiles: InstanceType<typeof ChatFiles>;
  readonly commands: InstanceType<typeof SavedChatCommands>;
  readonly deletion: InstanceType<typeof Deletion>;
  readonly messages: string[] = [];
  readonly errors: unknown[] = [];
  readonly openedChats: string[] = [];
  readonly copied: string[] = [];
  /** Answers of the person. A question without an answer fails. */
  readonly answers: { confirm?: boolean; prompt?: string; pick?: number; undo?: boolean } = {};
  readonly files: { save?: string; folder?: string } = {};
  readonly questions: string[] = [];
  /** Keys that the redactor knows; `learned` resolves when it knows all. */
  keys = ['sesame'];
  learned = (): Promise<void> => Promise.resolve();
  readonly #chats: OpenChats;
  readonly #show: OpenChats['show'];

  constructor(folder: string) {
    const { clock, state } = this;
    const chats = join(folder, 'chats');
    this.storage = diskJournals(chats);
    this.trash = new ChatTrash(new DiskFiles(folder));
    this.images = new ImageFiles(new DiskFiles(chats));
    this.locks = locksOf(folder, 1, clock);
    this.otherLocks = locksOf(folder, 2, clock);
    const { storage, locks, trash } = this;
    const heads = new MemoryText();
    const saved = new ChatHeads({ journals: storage, cache: heads, onError: () => undefined });
    this.recent = new RecentChats({
      read: () => saved.read(),
      isUnread: () => false,
      onError: (error) => this.errors.push(error),
    });
    const onDidChange = (): void => void this.recent.refresh();
    const shared = { storage, locks, clock, workspace: 'w', state, onDidChange };
    // The service never responds.
    const connect = (): Promise<never> => new Promise(() => undefined);
    const { chats: open } = openChats({ ...shared, chat: { connect } });
    this.#chats = open;
    this.#show = open.show.bind(open);
    open.show = (id) => {
      this.openedChats.push(id);
      return this.open(id);
    };
    const dialogs = this.#dialogs();
    const savedChats = new SavedChats({ ...shared, open });
    this.deletion = new Deletion({
      chats: savedChats,
      trash,
      dialogs,
      unsaved: new UnsavedText(state),
      notify: (message) => {
        this.messages.push(message);
        return Promise.resolve(this.answers.undo === true);
      },
      onError: (error) => this.errors.push(error),
    });
    this.chatFiles = new ChatFiles({
      images: this.images,
      chats: savedChats,
      dialogs,
      files: this.#fileDialogs(),
      folder: uriOf(folder),
      learned: () => this.learned(),
      redact: (text) => this.keys.reduce((all, key) => all.replaceAll(key, 'KEY'), text),
      isTainted: (chat) => isTaintedChat(chat, () => false),
    });
    this.commands = new SavedChatCommands({
      images: this.images,
      chats: savedChats,
      files: this.chatFiles,
      deletion: this.deletion,
      dialogs,
      copy: (text) => Promise.resolve(void this.copied.push(text)),
    });
  }

  /** Saves a chat with a message and a reply. */
  async save(
    id: string,
    message: string | UserMessage = 'Why?',
    ...more: readonly ConversationEvent[]
  ): Promise<void> {
    const question = typeof message === 'string' ? { text: message, attachments: [] } : message;
    const events: readonly ConversationEvent[] = [
      turnStart({ id: `${id}-t`, question }),
      { type: 'text-delta', text: `So: ${id}`, at: 2 },
      { type: 'turn-end', status: 'finished', at: 3 },
      ...more,
    ];
    const lines = events.map((event, index) => writeEvent(event, index + 1));
    const header = writeHeader({ conversation: id, workspace: 'w', at: 1 });
    await this.storage.append(id, header + lines.join(''));
  }

  async saved(id: string): Promise<Conversation> {
    const { conversation, damaged } = readJournal(id, (await this.storage.read(id)) ?? '');
    if (damaged > 0) throw new Error('The journal is damaged.');
    return conversation;
  }

  get chat(): Chat {
    return this.#chats.focused;
  }

  /** What is typed in the open chat. */
  get composer(): Composer {
    return this.#chats.focused.composer;
  }

  async open(id: string): Promise<void> {
    await this.#show(id);
    await this.chat.allRead();
  }

  async flush(): Promise<void> {
    await Promise.all(this.#chats.all.map(({ store }) => store.flush()));
  }

  dispose(): void {
    this.#chats.dispose();
    this.locks.dispose();
    this.otherLocks.dispose();
  }

  #dialogs() {
    const answer = <T>(question: string, value: T | undefined): Promise<T> => {
      this.questions.push(question);
      if (value === undefined) throw new Error(`Nobody expected: ${question}`);
      return Promise.resolve(value);
    };
    return dialogsWith({
      confirm: (message) => answer(message, this.answers.confirm),
      prompt: ({ value = '' }) => answer(value, this.answers.prompt),
      pick: (choices, title) => answer(title, choices[this.answers.pick ?? -1]?.value),
      showInformation: (message) => void this.messages.push(message),
      showStatus: (message) => void this.messages.push(message),
    });
  }

  #fileDialogs(): FileDialogs {
    const uri = (path: string | undefined) => (path === undefined ? undefined : uriOf(path));
    return {
      save: (offered) => {
        this.questions.push(offered.path);
        return Promise.resolve(uri(this.files.save));
      },
      openFolder: () => Promise.resolve(uri(this.files.folder)),
      openFiles: () => Promise.resolve(undefined),
    };
  }
}

export const { uriOf } = await withFakeVsCode(diskVsCode, async () => {
  const { Uri } = await import('vscode');
  return { uriOf: (path: string) => Uri.file(path) };
});

function locksOf(folder: string, id: number, clock: ManualClock): ChatLocks {
  const files = new DiskFiles(join(folder, 'locks'));
  const host = { machine: 'm', id, isRunning: () => true };
  return new ChatLocks(files, host, clock);
}
