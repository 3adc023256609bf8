/** The preset of a chat: what it chooses for requests, and how the person chooses it. */
import * as vscode from 'vscode';
import type { ChosenPreset, RequestOptions } from '../../core/conversation/conversation.ts';
import { anyEvent, type Event } from '../../core/support/event.ts';
import type { Toolbox } from '../../core/tools/toolbox.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import type { ModelState } from '../../protocol/messages.ts';
import type { Preset, Presets } from './presets.ts';
import { UserError } from '../platform/errors.ts';
import { isHigher, type ChatMode } from '../../core/conversation/mode.ts';
import { oneLine, visibleName } from '../../core/support/text.ts';
import type { Dialogs, PickItem } from '../platform/dialogs.ts';

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

/** The selected model of a chat. */
interface SelectedModel {
  current(): ModelState;
  readonly onDidChange: Event<unknown>;
}

export class ChatPreset {
  readonly #chosen: () => ChosenPreset | undefined;
  readonly #presets: UsedPresets;
  readonly #selected: SelectedModel;
  /** The selected model, or that of the preset until the person selects another one. */
  readonly model: SelectedModel;

  /** @param model the selected model, which presets don't affect */
  constructor(chosen: () => ChosenPreset | undefined, presets: UsedPresets, model: SelectedModel) {
    this.#chosen = chosen;
    this.#presets = presets;
    this.#selected = model;
    this.model = {
      current: () => {
        const selected = model.current();
        const id = this.#modelInstead(selected.id);
        return id === undefined ? selected : { id, fromWorkspace: false, missing: false };
      },
      onDidChange: anyEvent(model.onDidChange, presets.onDidChange),
    };
  }

  /** The preset as last read; undefined if there is no usable one. */
  get current(): ReadPreset | undefined {
    const chosen = this.#chosen();
    return chosen && this.#presets.current(chosen);
  }

  get files(): readonly InstructionFile[] {
    const chosen = this.#chosen();
    return (chosen && this.#presets.instructions(chosen)) ?? [];
  }

  /** The request options, without those that a model refuses. */
  options(refused: readonly (keyof RequestOptions)[]): RequestOptions {
    const chosen = this.#chosen();
    const { options = {} } = (chosen && this.#presets.accepted(chosen)) ?? {};
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
    const chosen = this.#chosen();
    if (chosen === undefined) return;
    await this.#presets.refresh(chosen, this.#selected.current().id);
  }

  /**
   * The model for a message, which may be another one than the selected one. Asks unless it was
   * decided whether the preset may choose it.
   *
   * @throws {UserError} if the person cancels
   */
  async requireModel(selected: string): Promise<string> {
    const chosen = this.#chosen();
    if (chosen === undefined) return selected;
    if (!(await this.#presets.accept(chosen, selected))) {
      throw new UserError(vscode.l10n.t('Nothing was sent.'));
    }
    return this.#modelInstead(selected) ?? selected;
  }

  #modelInstead(selected: string): string | undefined {
    const chosen = this.#chosen();
    if (chosen === undefined || (chosen.instead !== '' && chosen.instead !== selected))
      return undefined;
    return this.#presets.accepted(chosen).model;
  }
}

interface PresetActionsOptions {
  readonly chat: {
    readonly conversation: { readonly preset?: ChosenPreset | undefined };
    setPreset(preset: ChosenPreset | undefined): void;
    readonly mode: ChatMode;
    setMode(mode: ChatMode): void;
  };
  readonly presets: Presets;
  /** Id of the selected model; empty if there is none. */
  readonly selectedModel: () => string;
  readonly dialogs: Dialogs;
  /** The names of the tools that the model may use. */
  readonly toolNames: () => Promise<readonly string[]>;
  /** Opens the folder of the person's own presets. */
  readonly openFolder: () => Promise<void>;
  readonly showChanges: (path: string, before: string, after: string) => Promise<unknown>;
}

/** Chooses the preset of a chat, shows it, and takes it off. */
export class PresetActions {
  readonly #options: PresetActionsOptions;

  constructor(options: PresetActionsOptions) {
    this.#options = options;
  }

  async choose(): Promise<void> {
    const { chat, presets, dialogs, openFolder } = this.#options;
    const all = await presets.list();
    const { preset: chosen } = chat.conversation;
    const items = all.map((preset): PickItem<() => Promise<void>> => ({
      label: visibleName(preset.name),
      description: oneLine(descriptionOf(preset), 200),
      icon: presetIcon,
      value: () => this.#use(preset),
    }));
    const none = {
      label: vscode.l10n.t('No Preset'),
      icon: 'close',
      value: () => {
        this.remove();
        return Promise.resolve();
      },
    };
    const openPresets = {
      label: vscode.l10n.t('Open My Presets…'),
      icon: openPromptsIcon,
      value: openFolder,
    };
    const choices = [...(chosen === undefined ? [] : [none]), ...items, openPresets];
    const picked = await dialogs.pick(choices, vscode.l10n.t('Preset for This Chat'));
    await picked?.();
  }

  /** Opens the file, or its changes since the person last saw it, and marks them as seen. */
  async show(): Promise<void> {
    const { chat, presets, showChanges } = this.#options;
    const { preset: chosen } = chat.conversation;
    const current = chosen && presets.current(chosen);
    if (chosen === undefined || current === undefined) return;
    const { text, uri, path } = current;
    if (text === chosen.text) {
      await vscode.window.showTextDocument(uri, { preview: true });
      return;
    }
    await showChanges(path, chosen.text, text);
    chat.setPreset({ ...chosen, text });
  }

  remove(): void {
    const { chat } = this.#options;
    if (chat.conversation.preset !== undefined) chat.setPreset(undefined);
  }

  async #use(preset: Preset): Promise<void> {
    const { chat, presets, selectedModel } = this.#options;
    const { isOwn, workspace, path, name, text } = preset;
    const instead = selectedModel();
    const chosen = { isOwn, workspace, path, name, text, instead };
    if (!(await presets.accept(chosen, instead))) return;
    chat.setPreset(chosen);
    await this.#useMode(preset);
    await this.#tellOfTools(preset);
  }

  /** A repository must not give the model more tools than the person has chosen. */
  async #useMode({ isOwn, mode, name }: Preset): Promise<void> {
    const { chat, dialogs } = this.#options;
    if (mode === undefined || mode === chat.mode) return;
    const isRaised = !isOwn && isHigher(mode, chat.mode);
    if (
      isRaised &&
      (await dialogs.decide(
        vscode.l10n.t('Let {0} give the model more tools?', visibleName(name)),
        vscode.l10n.t('The preset of this workspace asks for a higher mode than this chat has.'),
        vscode.l10n.t('Allow'),
        vscode.l10n.t('Deny'),
      )) !== true
    )
      return;
    chat.setMode(mode);
  }

  /** A preset only chooses among the tools that are allowed: it can't add one. */
  async #tellOfTools({ name, tools }: Preset): Promise<void> {
    if (tools === undefined) return;
    const { dialogs, toolNames } = this.#options;
    const known = await toolNames();
    const unknown = tools.filter((tool) => !known.includes(tool));
    if (unknown.length === 0) return;
    const list = oneLine(unknown.join(', '), 300);
    dialogs.showInformation(
      vscode.l10n.t("{0} asks for tools that aren't available: {1}", visibleName(name), list),
    );
  }
}

function descriptionOf({ description, detail, model = '' }: Preset): string {
  return [description || detail, model].filter((part) => part !== '').join(' · ');
}
