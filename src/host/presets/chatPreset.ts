import * as vscode from 'vscode';
import type { ChosenPreset, RequestOptions } from '../../core/conversation/conversation.ts';
import { anyEvent, type Event } from '../../core/support/event.ts';
import type { Toolbox } from '../../core/tools/toolbox.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import type { ModelState } from '../../protocol/messages.ts';
import type { Preset, Presets } from './presets.ts';
import { UserError } from '../errors.ts';

export const presetIcon = 'account';
export const openPromptsIcon = 'folder-opened';

/** A preset without the location of its file. */
type ReadPreset = Omit<Preset, 'uri'>;

interface UsedPresets extends Pick<
  Presets,
  'accepted' | 'accept' | 'instructions' | 'onDidChange'
> {
  current(chosen: ChosenPreset): ReadPreset | undefined;
  refresh(chosen: ChosenPreset, selected: string): Promise<ReadPreset | undefined>;
}

interface ChatPresetOptions {
  readonly chosen: () => ChosenPreset | undefined;
  readonly presets: UsedPresets;
  /** The selected model, which presets don't affect. */
  readonly model: { current(): ModelState; readonly onDidChange: Event<unknown> };
}

export class ChatPreset {
  readonly #options: ChatPresetOptions;
  /** The selected model, or that of the preset until the person selects another one. */
  readonly model: ChatPresetOptions['model'];

  constructor(options: ChatPresetOptions) {
    this.#options = options;
    const { model, presets } = options;
    this.model = {
      current: () => this.#model(model.current()),
      onDidChange: anyEvent(model.onDidChange, presets.onDidChange),
    };
  }

  /** The preset as last read; undefined if there is no usable one. */
  get current(): ReadPreset | undefined {
    const chosen = this.#options.chosen();
    return chosen && this.#options.presets.current(chosen);
  }

  get files(): readonly InstructionFile[] {
    const chosen = this.#options.chosen();
    return (chosen && this.#options.presets.instructions(chosen)) ?? [];
  }

  /** The request options, without those that a model refuses. */
  options(refused: readonly (keyof RequestOptions)[]): RequestOptions {
    const chosen = this.#options.chosen();
    const { options = {} } = (chosen && this.#options.presets.accepted(chosen)) ?? {};
    const refusedNames = new Set<string>(refused);
    return Object.fromEntries(Object.entries(options).filter(([name]) => !refusedNames.has(name)));
  }

  /** Limits tools to those that the preset names. */
  toolsOf(toolbox: Toolbox): Toolbox | undefined {
    const tools = this.current?.tools;
    return tools === undefined ? toolbox : toolbox.only(tools);
  }

  /** Reads the file again, if the chat has a preset. */
  async refresh(): Promise<void> {
    const chosen = this.#options.chosen();
    if (chosen === undefined) return;
    await this.#options.presets.refresh(chosen, this.#options.model.current().id);
  }

  /**
   * The model for a message, which may be another one than the selected one. Asks unless it was
   * decided whether the preset may choose it.
   *
   * @throws {UserError} if the person cancels
   */
  async requireModel(selected: string): Promise<string> {
    const chosen = this.#options.chosen();
    if (chosen === undefined) return selected;
    if (!(await this.#options.presets.accept(chosen, selected))) {
      throw new UserError(vscode.l10n.t('Nothing was sent.'));
    }
    return this.#modelInstead(selected) ?? selected;
  }

  #modelInstead(selected: string): string | undefined {
    const chosen = this.#options.chosen();
    if (chosen === undefined || (chosen.instead !== '' && chosen.instead !== selected))
      return undefined;
    return this.#options.presets.accepted(chosen).model;
  }

  #model(selected: ModelState): ModelState {
    const id = this.#modelInstead(selected.id);
    return id === undefined ? selected : { id, fromWorkspace: false, missing: false };
  }
}
