import type { Memento } from '../memento.ts';

/** Keys of a chat's state besides its journal. */
const keys = ['aside.draft', 'aside.attachments', 'aside.heldDraft', 'aside.queue'] as const;

interface ChatMementoOptions {
  /** `workspaceState` */
  readonly state: Memento;
  /** Current id of the chat. */
  readonly id: () => string;
  /** True to adopt state without a chat id, from earlier versions that had a single chat. */
  readonly takesOld?: boolean | undefined;
}

/** The part of `workspaceState` that belongs to one chat. */
export class ChatMemento implements Memento {
  readonly #options: ChatMementoOptions;

  constructor(options: ChatMementoOptions) {
    this.#options = options;
  }

  get(key: string): unknown {
    const { state, id, takesOld } = this.#options;
    return state.get(keyOf(key, id())) ?? (takesOld === true ? state.get(key) : undefined);
  }

  async update(key: string, value: unknown): Promise<void> {
    const { state, id, takesOld } = this.#options;
    const chatKey = keyOf(key, id());
    if (takesOld === true && state.get(key) !== undefined) await state.update(key, undefined);
    if (value !== undefined || state.get(chatKey) !== undefined) await state.update(chatKey, value);
  }
}

export async function forgetChat(state: Memento, id: string): Promise<void> {
  for (const key of keys) await state.update(keyOf(key, id), undefined);
}

function keyOf(key: string, id: string): string {
  return `${id} ${key}`;
}
