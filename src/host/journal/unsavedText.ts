import * as z from 'zod/mini';
import { report } from '../../core/support/background.ts';
import type { Memento } from '../memento.ts';
import type { JournalStorage } from './journal.ts';

const unsavedKey = 'aside.unsaved';

/** Characters of a chat that are kept: VS Code holds all of its state in memory. */
const maxLength = 4_000_000;

const storedTexts = z.record(z.string(), z.string());

/**
 * Lines of journals that could not be written, because the disk is full or the folder is gone. VS
 * Code's own state keeps them over a reload, where it can.
 */
export class UnsavedText {
  readonly #state: Memento;

  /** @param state `workspaceState` */
  constructor(state: Memento) {
    this.#state = state;
  }

  /** Keeps the lines of a conversation; an empty text when they were written. */
  async keep(conversation: string, lines: string): Promise<void> {
    const { [conversation]: before, ...others } = this.#all();
    if ((before ?? '') === lines || lines.length > maxLength) return;
    const all = lines === '' ? others : { ...others, [conversation]: lines };
    await this.#state.update(unsavedKey, Object.keys(all).length > 0 ? all : undefined);
  }

  /**
   * Writes what is kept, for all conversations but one. Lines that are stored already are recognized
   * when they are read.
   */
  async write(storage: JournalStorage, except: string | undefined): Promise<void> {
    for (const [conversation, lines] of Object.entries(this.#all())) {
      if (conversation === except) continue;
      try {
        await storage.append(conversation, lines);
        await this.keep(conversation, '');
      } catch (error) {
        // It stays kept.
        report(error);
      }
    }
  }

  /** The lines of a conversation that are still not written. */
  of(conversation: string): string {
    return this.#all()[conversation] ?? '';
  }

  #all(): Readonly<Record<string, string>> {
    return storedTexts.safeParse(this.#state.get(unsavedKey)).data ?? {};
  }
}
