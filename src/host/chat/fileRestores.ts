import type { Conversation, FileRestore, Turn } from '../../core/conversation/conversation.ts';
import type { RestorableFiles } from '../../protocol/rpc.ts';
import { chatIsElsewhere, messageIsGone } from './storeMessages.ts';

interface FileRestoresOptions {
  readonly chat: {
    readonly conversation: Conversation;
    readonly isRunning: boolean;
    setFileRestore(turn: string, restore: FileRestore): void;
  };
  readonly isWriter: () => boolean;
  readonly restores: RestoreFiles;
}

export interface RestoreFiles {
  find(scope: TurnsOfChat): Promise<RestorableFiles>;
  review(scope: TurnsOfChat): Promise<void>;
  restore(scope: TurnsOfChat): Promise<FileRestore>;
  undo(chat: string, restore: FileRestore): Promise<FileRestore>;
  redo(chat: string, restore: FileRestore): Promise<FileRestore>;
}

interface TurnsOfChat {
  readonly chat: string;
  readonly turns: readonly string[];
}

const none: RestorableFiles = { files: [], left: [] };

export class FileRestores {
  readonly #options: FileRestoresOptions;

  constructor(options: FileRestoresOptions) {
    this.#options = options;
  }

  /** The files that this turn and all later ones changed; empty if they can't be restored now. */
  async find(turn: string): Promise<RestorableFiles> {
    const { chat, isWriter, restores } = this.#options;
    const turns = this.#turnsFrom(turn);
    if (
      !isWriter() ||
      chat.isRunning ||
      !turns.some(({ changes = [] }) => changes.some(({ status }) => status !== 'undone'))
    )
      return none;
    return restores.find(this.#scopeOf(turns));
  }

  review(turn: string): Promise<void> {
    return this.#options.restores.review(this.#scopeOf(this.#turnsFrom(turn)));
  }

  /** @throws {UserError} if nothing can be restored now */
  async restore(turn: string): Promise<FileRestore> {
    this.#requireWriter();
    return this.#options.restores.restore(this.#scopeOf(this.#turnsFrom(turn)));
  }

  /** Undoes or redoes the restore that preceded a resent message. */
  async change(turn: string, action: 'undo' | 'redo'): Promise<void> {
    this.#requireWriter();
    const { chat, restores } = this.#options;
    const { id, turns, running } = chat.conversation;
    const restore = [...turns, running].find((candidate) => candidate?.id === turn)?.fileRestore;
    if (restore === undefined) throw messageIsGone();
    chat.setFileRestore(turn, await restores[action](id, restore));
  }

  /** The turn and all later ones on the visible path. Only these are undone. */
  #turnsFrom(turn: string): readonly Turn[] {
    const { turns } = this.#options.chat.conversation;
    const start = turns.findIndex(({ id }) => id === turn);
    return start < 0 ? [] : turns.slice(start);
  }

  #scopeOf(turns: readonly Turn[]): TurnsOfChat {
    return { chat: this.#options.chat.conversation.id, turns: turns.map(({ id }) => id) };
  }

  #requireWriter(): void {
    if (this.#options.isWriter()) return;
    throw chatIsElsewhere();
  }
}
