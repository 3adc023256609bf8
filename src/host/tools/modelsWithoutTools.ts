import * as z from 'zod/mini';
import type { Memento } from '../memento.ts';

const key = 'aside.modelsWithoutTools';
const list = z.array(z.string());

/** So many are remembered; the oldest go first. */
const most = 200;

/** The models that refused a request with tools and answered the same without. */
export class ModelsWithoutTools {
  readonly #state: Memento;

  /** @param state that of the user, for all windows */
  constructor(state: Memento) {
    this.#state = state;
  }

  has(origin: string, model: string): boolean {
    return this.#read().includes(entryOf(origin, model));
  }

  async add(origin: string, model: string): Promise<void> {
    const entry = entryOf(origin, model);
    const others = this.#read().filter((other) => other !== entry);
    await this.#state.update(key, [...others, entry].slice(-most));
  }

  /** Gives every model its tools again. */
  async clear(): Promise<void> {
    await this.#state.update(key, undefined);
  }

  #read(): readonly string[] {
    return list.safeParse(this.#state.get(key)).data ?? [];
  }
}

function entryOf(origin: string, model: string): string {
  return `${origin} ${model}`;
}
