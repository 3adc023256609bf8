import * as vscode from 'vscode';
import type {
  Conversation,
  Turn,
  TurnError,
  UserMessage,
} from '../../core/conversation/conversation.ts';
import { modeOfMessage, type ChatMode } from '../../core/conversation/mode.ts';
import type { TokenMeter } from '../../core/service/requestUsage.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { systemClock } from '../../core/support/clock.ts';
import { outlineUrl } from '../../core/support/image.ts';
import { foundTools } from '../../core/tools/findTools.ts';
import type { Toolbox } from '../../core/tools/toolbox.ts';
import type { ImageUrls, InstructionFile } from '../../core/turn/messagePieces.ts';
import type { PromptSettings } from '../../core/turn/prompt.ts';
import { turnLimit, type TurnLimit, type TurnTools } from '../../core/turn/runTurn.ts';
import type { ServiceAccess } from '../service/serviceAccess.ts';
import { requireImageInput } from '../platform/imageLimits.ts';
import type { ChatPreset } from '../context/chatPreset.ts';
import { settingsOfModel, type SettingValues } from '../platform/settingValues.ts';
import type { CurrentSettings } from '../platform/settings.ts';
import type { Chat, ChatHost } from './chat.ts';
import type { ChatWindow } from './createChat.ts';

/** How a chat sends: to the connected service, with the tools and instructions of the window. */
export class WindowChatHost implements ChatHost {
  readonly clock = systemClock;
  readonly meter: TokenMeter;
  readonly #chat: Chat;
  readonly #window: ChatWindow;

  constructor(chat: Chat, window: ChatWindow) {
    this.#chat = chat;
    this.#window = window;
    this.meter = window.service.meter;
  }

  get proposedMode(): ChatMode {
    return this.#window.lastMode.current;
  }

  connect(model: string): ReturnType<ServiceAccess['connect']> {
    return this.#window.service.connect('chat', model, this.#chat.account);
  }

  asSent(request: CompletionRequest): CompletionRequest {
    return this.#window.service.asSent(request, this.#chat.account);
  }

  async tools({ model, question }: Turn): Promise<TurnTools | undefined> {
    const { connection, toolAccess, tools, chats } = this.#window;
    if (this.#chat.mode === 'chat' || toolAccess.obstacle(model) !== undefined) return undefined;
    const values = this.#window.window.settings.current();
    const limit = limitOfTurn(model, values, connection.isDemo);
    const chat = this.#chat;
    // A mode that is lowered while the turn runs counts at once.
    const mode = (): ChatMode => modeOfMessage(question, chat.mode);
    const all = chatTools(await tools.forTurn(), chat.preset, () => chat.conversation, mode);
    const toolbox = chats.isSideChat(chat) ? all?.runningReading : all;
    return toolbox && { toolbox, maxRounds: values.tools.maxRounds, limit };
  }

  describe(error: unknown, model: string): TurnError {
    return this.#window.service.describe(error, model);
  }

  async prepare(about: readonly (readonly string[])[], mayAsk: boolean): Promise<void> {
    const { instructions, skills, window } = this.#window;
    await this.#chat.preset.refresh();
    // Instruction files are read only in a trusted workspace.
    if (vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined)
      await instructions.prepare(about, mayAsk);
    if (this.#chat.mode === 'chat' || !window.settings.current().tools.enabled) return;
    await (mayAsk ? skills.prepare() : skills.read());
  }

  settings(model: string): PromptSettings {
    const { connection, instructions, skills, window } = this.#window;
    const ofChat = {
      settings: window.settings,
      preset: this.#chat.preset,
      instructions: instructions.used,
      skills: skills.listed,
      mode: this.#chat.mode,
    };
    const { service } = connection.placeOf(model);
    return { ...promptSettings(model, ofChat), service };
  }

  async checkMessage({ text, attachments }: UserMessage, models: readonly string[]): Promise<void> {
    const { service, window } = this.#window;
    // A message with a key of the person is refused.
    await service.check([text, ...attachments.map((attachment) => attachment.text)]);
    const hasImages = attachments.some(({ image }) => image !== undefined);
    for (const model of hasImages ? models : [])
      requireImageInput(model, settingsOfModel(window.settings.current(), model));
  }
}

interface PromptSources {
  readonly settings: CurrentSettings;
  readonly preset: ChatPreset;
  /** Instruction files of the workspace. Each is sent with messages about its files. */
  readonly instructions: readonly InstructionFile[];
  /** The lines of allowed skills. */
  readonly skills: readonly InstructionFile[];
  readonly mode: ChatMode;
}

/** Settings of a chat's requests. Options of its preset override the person's. */
export function promptSettings(
  model: string,
  { settings, preset, instructions: ofWorkspace, skills, mode }: PromptSources,
): PromptSettings {
  const values = settings.current();
  const { instructions, stream } = values;
  const { contextWindow, images: takesImages } = settingsOfModel(values, model);
  const ofPreset = preset.options(settings.refusedOptions(model));
  return {
    instructions,
    files: [...ofWorkspace, ...preset.files],
    skills,
    stream,
    options: { ...settings.requestOptions(model), ...ofPreset, mode },
    contextWindow,
    images: takesImages === true ? outlines : undefined,
  };
}

/** Placeholders for images that have not been read yet, sufficient to estimate tokens. */
const outlines: ImageUrls = ({ image }) => image && outlineUrl(image);

/** The tools that are sent in a chat; undefined if there are none. */
export function chatTools(
  toolbox: Toolbox,
  preset: ChatPreset,
  conversation: () => Conversation,
  mode: () => ChatMode,
): Toolbox | undefined {
  const ofMode = preset.toolsOf(toolbox)?.inMode(mode);
  return ofMode?.deferring(() => foundTools(conversation()));
}

/** What a turn of a model may send before it pauses. The demo counts in no budget. */
export function limitOfTurn(model: string, values: SettingValues, isDemo: boolean): TurnLimit {
  const { budget } = values;
  const isSet = budget !== 'invalid' && !isDemo;
  return turnLimit(isSet ? budget : { unit: 'tokens' }, settingsOfModel(values, model).price);
}
