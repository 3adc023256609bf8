import * as z from 'zod/mini';
import { report } from '../../core/support/background.ts';
import type { Memento } from '../platform/memento.ts';
import type { ChatLocks } from './chatLocks.ts';
import type { JournalStorage } from './journal.ts';

const unsavedKey = 'aside.unsaved';

/** Maximum number of stored characters of a chat, since VS Code holds all state in memory. */
const maxLength = 4_000_000;

const storedTexts = z.record(z.string(), z.string());

/**
 * Journal lines that could not be written, because the disk is full or the folder is gone. VS
 * Code's own state stores them over a reload, if it can.
 */
export class UnsavedText {
  readonly #state: Memento;

  /** @param state `workspaceState` */
  constructor(state: Memento) {
    this.#state = state;
  }

  /** Stores the lines of a conversation; an empty text removes them. */
  async keep(conversation: string, lines: string): Promise<void> {
    const { [conversation]: before, ...others } = this.#all();
    if ((before ?? '') === lines || lines.length > maxLength) return;
    const all = lines === '' ? others : { ...others, [conversation]: lines };
    await this.#state.update(unsavedKey, Object.keys(all).length > 0 ? all : undefined);
  }

  /**
   * Writes the stored lines of all conversations but one, and but those that are open. Lines that
   * are in the journal already are recognized on reading.
   */
  async write(
    storage: JournalStorage,
    locks: ChatLocks,
    except: string | undefined,
  ): Promise<void> {
    for (const [conversation, lines] of Object.entries(this.#all())) {
      if (conversation === except || locks.holds(conversation)) continue;
      try {
        if (!(await locks.acquire(conversation))) continue;
        await storage.append(conversation, lines);
        await this.keep(conversation, '');
      } catch (error) {
        // The lines stay stored.
        report(error);
      }
      await locks.release(conversation);
    }
  }

  of(conversation: string): string {
    return this.#all()[conversation] ?? '';
  }

  #all(): Readonly<Record<string, string>> {
    return storedTexts.safeParse(this.#state.get(unsavedKey)).data ?? {};
  }
}
