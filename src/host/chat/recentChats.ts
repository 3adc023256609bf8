import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { RecentChat } from '../../protocol/messages.ts';

export interface RecentChatsOptions {
  /** Reads the saved chats, which takes a moment where there are many. */
  readonly read: () => Promise<readonly RecentChat[]>;
  readonly onError: (error: unknown) => void;
}

/** The saved chats that are offered while the chat is empty. */
export class RecentChats implements Disposable {
  readonly #options: RecentChatsOptions;
  readonly #changed = new Emitter<unknown>();
  #current: readonly RecentChat[] = [];
  #readings = 0;

  readonly onDidChange = this.#changed.event;

  constructor(options: RecentChatsOptions) {
    this.#options = options;
  }

  get current(): readonly RecentChat[] {
    return this.#current;
  }

  /** Called once an empty chat is shown, and when chats change: the page does not wait for them. */
  async refresh(): Promise<void> {
    const { read, onError } = this.#options;
    const reading = (this.#readings += 1);
    try {
      const found = await read();
      // What an earlier reading found is out of date.
      if (reading !== this.#readings) return;
      if (JSON.stringify(found) === JSON.stringify(this.#current)) return;
      this.#current = found;
      this.#changed.fire(undefined);
    } catch (error) {
      onError(error);
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
