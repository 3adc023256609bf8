import type { Memento } from '../platform/memento.ts';

/** Keys of a chat's state besides its journal. */
const keys = ['aside.draft', 'aside.attachments', 'aside.heldDraft', 'aside.queue'] as const;

/** The part of `workspaceState` that belongs to one chat. */
export class ChatMemento implements Memento {
  readonly #state: Memento;
  readonly #id: () => string;
  readonly #takesOld: boolean;

  /**
   * @param state `workspaceState`
   * @param id the current id of the chat
   * @param takesOld true to adopt state without a chat id, from earlier versions that had a single chat
   */
  constructor(state: Memento, id: () => string, takesOld = false) {
    this.#state = state;
    this.#id = id;
    this.#takesOld = takesOld;
  }

  get(key: string): unknown {
    const own = this.#state.get(keyOf(key, this.#id()));
    return own ?? (this.#takesOld ? this.#state.get(key) : undefined);
  }

  async update(key: string, value: unknown): Promise<void> {
    const state = this.#state;
    const chatKey = keyOf(key, this.#id());
    if (this.#takesOld && state.get(key) !== undefined) await state.update(key, undefined);
    if (value !== undefined || state.get(chatKey) !== undefined) await state.update(chatKey, value);
  }
}

export async function forgetChat(state: Memento, id: string): Promise<void> {
  for (const key of keys) await state.update(keyOf(key, id), undefined);
}

function keyOf(key: string, id: string): string {
  return `${id} ${key}`;
}
