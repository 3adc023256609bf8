import * as z from 'zod/mini';
import type { Memento } from '../memento.ts';

const enabledExternalKey = 'aside.tickedTools';
const disabledOwnKey = 'aside.unusedTools';
const list = z.array(z.string());
/** So many are remembered; the oldest go first. */
const maxEntries = 500;

/**
 * Which tools a model may use: Aside's own unless the person took them away, those of others only
 * when the person ticked them. Kept with the user, where no repository and no tool can write.
 */
export class EnabledTools {
  readonly #state: Memento;

  /** @param state that of the user, for all windows; it must not be synced */
  constructor(state: Memento) {
    this.#state = state;
  }

  /** Whether one of Aside's tools is used. */
  isOwnEnabled(name: string): boolean {
    return !this.#read(disabledOwnKey).includes(name);
  }

  /** Whether the person ticked exactly this tool: see `toolIdentity`. */
  isExternalEnabled(identity: string): boolean {
    return this.#read(enabledExternalKey).includes(identity);
  }

  /** Whether another tool of this name was ticked, or this one before it described itself anew. */
  wasExternalEnabled(name: string): boolean {
    return this.#read(enabledExternalKey).some((identity) => nameOf(identity) === name);
  }

  /** Takes the choice among the tools that were shown; what is not there now keeps its tick. */
  async setOwnEnabled(shown: readonly string[], used: readonly string[]): Promise<void> {
    const unused = shown.filter((name) => !used.includes(name));
    const others = this.#read(disabledOwnKey).filter((name) => !shown.includes(name));
    await this.#write(disabledOwnKey, [...others, ...unused]);
  }

  /** The same for tools of others. What was known of a tool of this name before is forgotten. */
  async setExternalEnabled(shown: readonly string[], ticked: readonly string[]): Promise<void> {
    const names = new Set(shown.map(nameOf));
    const others = this.#read(enabledExternalKey).filter(
      (identity) => !names.has(nameOf(identity)),
    );
    await this.#write(enabledExternalKey, [...others, ...ticked]);
  }

  #read(key: string): readonly string[] {
    return list.safeParse(this.#state.get(key)).data ?? [];
  }

  async #write(key: string, values: readonly string[]): Promise<void> {
    await this.#state.update(key, values.slice(-maxEntries));
  }
}

/** The name in an identity; the hash behind it has no `#`. */
function nameOf(identity: string): string {
  return identity.slice(0, identity.lastIndexOf('#'));
}
