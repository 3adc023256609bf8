import { orUndefined, reported } from '../../core/support/background.ts';
import type { Leases } from '../leases.ts';

/**
 * Tracks which conversations this window writes, and which ones other windows write. Without
 * leases, no other window can write any.
 */
export class WriterClaims {
  readonly #leases: Leases | undefined;
  readonly #onError: (what: string, error: unknown) => void;
  readonly #elsewhere = new Set<string>();

  constructor(leases: Leases | undefined, onError: (what: string, error: unknown) => void) {
    this.#leases = leases;
    this.#onError = onError;
  }

  holds(id: string): boolean {
    return this.#leases?.holds(id) ?? true;
  }

  isElsewhere(id: string): boolean {
    return this.#elsewhere.has(id);
  }

  /** Called when another window writes the conversation. */
  setElsewhere(id: string): void {
    this.#elsewhere.add(id);
  }

  /** True if no other window writes the conversation. Chats are shown even if that is unknown. */
  async claim(id: string): Promise<boolean> {
    if (this.#leases === undefined) return true;
    try {
      // Another window may have claimed it in the meantime.
      return this.#note(id, (await this.#leases.claim(id)) && this.#leases.holds(id));
    } catch (error) {
      this.#onError(`Opening the chat ${id}`, error);
      // Messages stay in memory if nothing can be written.
      const holder = await orUndefined(this.#leases.holder(id));
      return this.#note(id, holder === undefined);
    }
  }

  /** See {@link Leases.takeOver}. */
  async takeOver(id: string): Promise<boolean> {
    return this.#leases === undefined || this.#note(id, await this.#leases.takeOver(id));
  }

  /**
   * The saved chat, unless another window has it: then one from another closed window of the same
   * workspace.
   */
  async choose(saved: string): Promise<string> {
    if (this.#leases === undefined || (await this.claim(saved))) return saved;
    for (const other of await this.#leases.abandoned()) if (await this.claim(other)) return other;
    return saved;
  }

  /** Transfers a conversation to the window that asked for it. */
  async transfer(id: string): Promise<void> {
    this.setElsewhere(id);
    await this.#leases?.handOver(id);
  }

  /** The workspace of the window that writes the conversation; undefined if there is none. */
  async holder(id: string): Promise<string | undefined> {
    return this.#leases && (await reported(this.#leases.holder(id)));
  }

  async release(id: string): Promise<void> {
    await this.#leases?.release(id);
  }

  #note(id: string, isFree: boolean): boolean {
    if (isFree) this.#elsewhere.delete(id);
    else this.#elsewhere.add(id);
    return isFree;
  }
}
