import * as z from 'zod/mini';
import { chatModes, type ChatMode } from '../../core/conversation/mode.ts';
import type { Event } from '../../core/support/event.ts';
import type { ModelState } from '../../protocol/messages.ts';
import type { ModelChoice } from '../connection/models.ts';
import type { Memento } from '../memento.ts';

interface ModeModelOptions {
  readonly choice: Pick<ModelChoice, 'current' | 'of' | 'onDidChange'>;
  readonly mode: () => ChatMode;
}

/** The model that the settings assign to a chat's mode, or the selected one. */
export class ModeModel {
  readonly #options: ModeModelOptions;
  readonly onDidChange: Event<unknown>;

  constructor(options: ModeModelOptions) {
    this.#options = options;
    this.onDidChange = options.choice.onDidChange;
  }

  current(): ModelState {
    const { choice, mode } = this.#options;
    const id = choice.of(mode());
    return id === undefined ? choice.current() : { id, fromWorkspace: false, missing: false };
  }

  /**
   * @param requireSelected lets the person connect and select a model first
   * @param mode the mode of the message; undefined for that of the chat
   */
  async resolve(requireSelected: () => Promise<string>, mode?: ChatMode): Promise<string> {
    const selected = await requireSelected();
    return this.#options.choice.of(mode ?? this.#options.mode()) ?? selected;
  }
}

const key = 'aside.mode';
export const storedMode = z.enum(chatModes);

/** The mode that the person chose last, which new chats start with. */
export class LastMode {
  readonly #state: Memento;

  /** @param state the user's state, shared by all windows */
  constructor(state: Memento) {
    this.#state = state;
  }

  get current(): ChatMode {
    return storedMode.safeParse(this.#state.get(key)).data ?? 'agent';
  }

  async set(mode: ChatMode): Promise<void> {
    await this.#state.update(key, mode);
  }
}
