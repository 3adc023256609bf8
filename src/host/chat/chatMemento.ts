import type { Memento } from '../memento.ts';

/** What is kept of each chat besides its journal. */
const keys = ['aside.draft', 'aside.attachments', 'aside.heldDraft', 'aside.queue'] as const;

interface ChatMementoOptions {
  /** `workspaceState` */
  readonly state: Memento;
  /** The id of the chat at the moment. */
  readonly id: () => string;
  /** Whether it takes what earlier versions, which had one chat at a time, kept without an id. */
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
    const own = keyOf(key, id());
    if (takesOld === true && state.get(key) !== undefined) await state.update(key, undefined);
    if (value !== undefined || state.get(own) !== undefined) await state.update(own, value);
  }
}

/** Removes what is kept of a chat that was deleted. */
export async function forgetChat(state: Memento, id: string): Promise<void> {
  for (const key of keys) await state.update(keyOf(key, id), undefined);
}

function keyOf(key: string, id: string): string {
  return `${id} ${key}`;
}
