import type { ChatMode } from '../../core/conversation/mode.ts';
import type { ModelChoice } from '../service/models.ts';
import type { ModelPicker } from '../service/modelPicker.ts';
import type { Chat } from './chat.ts';
import type { FocusedChat } from './focusedChat.ts';

/** Finds the models of the messages of a chat. */
export class MessageModels {
  readonly #chat: Chat;
  readonly #choice: Pick<ModelChoice, 'of'>;
  readonly #selection: Pick<FocusedChat, 'requireModel'>;
  readonly #picker: Pick<ModelPicker, 'pickModel'>;

  constructor(
    chat: Chat,
    choice: Pick<ModelChoice, 'of'>,
    selection: Pick<FocusedChat, 'requireModel'>,
    picker: Pick<ModelPicker, 'pickModel'>,
  ) {
    this.#chat = chat;
    this.#choice = choice;
    this.#selection = selection;
    this.#picker = picker;
  }

  /**
   * The model for a message in a mode, or in that of the chat: the one of the preset, the one that
   * the settings assign to the mode, or the selected one. Rejects if the person cancels.
   */
  async requireModel(mode?: ChatMode): Promise<string> {
    const { preset } = this.#chat;
    const selected = await this.#selection.requireModel();
    const ofMode = this.#choice.of(mode ?? this.#chat.mode) ?? selected;
    return preset.requireModel(ofMode);
  }

  /** Lets the person pick a model for one message; undefined if they cancel. */
  pickModel(): Promise<string | undefined> {
    return this.#picker.pickModel();
  }
}
