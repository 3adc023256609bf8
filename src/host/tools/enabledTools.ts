import * as z from 'zod/mini';
import type { Memento } from '../platform/memento.ts';

const enabledExternalKey = 'aside.tickedTools';
const disabledOwnKey = 'aside.unusedTools';
const list = z.array(z.string());
/** Maximum number of stored entries; the oldest are dropped first. */
const maxEntries = 500;

/**
 * The tools that a model may use: the built-in ones unless the person disabled them, external ones
 * only if the person enabled them. Stored in the user's state, which no repository and no tool can
 * write.
 */
export class EnabledTools {
  readonly #state: Memento;

  /** @param state the user's state, shared by all windows; it must not be synced */
  constructor(state: Memento) {
    this.#state = state;
  }

  isOwnEnabled(name: string): boolean {
    return !this.#read(disabledOwnKey).includes(name);
  }

  /** True if the person enabled this tool in its current form: see `toolIdentity`. */
  isExternalEnabled(identity: string): boolean {
    return this.#read(enabledExternalKey).includes(identity);
  }

  /** True if a tool with this name was enabled, possibly with another description. */
  wasExternalEnabled(name: string): boolean {
    return this.#read(enabledExternalKey).some((identity) => nameOf(identity) === name);
  }

  /** Enables some of the listed tools and disables the others. Other tools keep their state. */
  async setOwnEnabled(listed: readonly string[], enabled: readonly string[]): Promise<void> {
    const disabled = listed.filter((name) => !enabled.includes(name));
    const others = this.#read(disabledOwnKey).filter((name) => !listed.includes(name));
    await this.#write(disabledOwnKey, [...others, ...disabled]);
  }

  /** Enables some of the listed external tools. Earlier entries of the same names are removed. */
  async setExternalEnabled(listed: readonly string[], enabled: readonly string[]): Promise<void> {
    const names = new Set(listed.map(nameOf));
    const others = this.#read(enabledExternalKey).filter(
      (identity) => !names.has(nameOf(identity)),
    );
    await this.#write(enabledExternalKey, [...others, ...enabled]);
  }

  #read(key: string): readonly string[] {
    return list.safeParse(this.#state.get(key)).data ?? [];
  }

  async #write(key: string, values: readonly string[]): Promise<void> {
    await this.#state.update(key, values.slice(-maxEntries));
  }
}

/** The name in an identity; the hash after it contains no `#`. */
function nameOf(identity: string): string {
  return identity.slice(0, identity.lastIndexOf('#'));
}
