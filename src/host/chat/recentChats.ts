import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { RecentChat } from '../../protocol/messages.ts';

export interface RecentChatsOptions {
  /** Reads the saved chats, which is slow if there are many. */
  readonly read: () => Promise<readonly RecentChat[]>;
  readonly isUnread: (chat: string) => boolean;
  readonly onError: (error: unknown) => void;
}

/** The saved chats that an empty chat offers. */
export class RecentChats implements Disposable {
  readonly #options: RecentChatsOptions;
  readonly #changed = new Emitter<unknown>();
  #saved: readonly RecentChat[] = [];
  #current: readonly RecentChat[] = [];
  #readings = 0;

  readonly onDidChange = this.#changed.event;

  constructor(options: RecentChatsOptions) {
    this.#options = options;
  }

  get current(): readonly RecentChat[] {
    return this.#current;
  }

  /** Called when an empty chat is visible, and when chats change. The page doesn't wait for it. */
  async refresh(): Promise<void> {
    const { read, onError } = this.#options;
    const reading = (this.#readings += 1);
    try {
      const saved = await read();
      // A newer reading has started.
      if (reading !== this.#readings) return;
      this.#saved = saved;
      this.update();
    } catch (error) {
      onError(error);
    }
  }

  update(): void {
    const { isUnread } = this.#options;
    const marked = this.#saved.map((chat) =>
      isUnread(chat.id) ? { ...chat, isUnread: true } : chat,
    );
    if (JSON.stringify(marked) === JSON.stringify(this.#current)) return;
    this.#current = marked;
    this.#changed.fire(undefined);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
