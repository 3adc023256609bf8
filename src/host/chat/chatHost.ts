import * as vscode from 'vscode';
import type {
  Conversation,
  Turn,
  TurnError,
  UserMessage,
} from '../../core/conversation/conversation.ts';
import type { LiveConversation } from '../../core/conversation/liveConversation.ts';
import { modeOfMessage, type ChatMode } from '../../core/conversation/mode.ts';
import type { TokenMeter } from '../../core/service/requestUsage.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { systemClock } from '../../core/support/clock.ts';
import { outlineUrl } from '../../core/support/image.ts';
import type { Lazy } from '../../core/support/lazy.ts';
import { foundTools } from '../../core/tools/findTools.ts';
import type { Toolbox } from '../../core/tools/toolbox.ts';
import type { ImageUrls, InstructionFile } from '../../core/turn/messagePieces.ts';
import type { PromptSettings } from '../../core/turn/prompt.ts';
import { turnLimit, type TurnLimit, type TurnTools } from '../../core/turn/runTurn.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import type { ServiceAccess } from '../connection/serviceAccess.ts';
import type { ContextFeature } from '../context/feature.ts';
import { requireImageInput } from '../imageLimits.ts';
import type { ChatPreset } from '../presets/chatPreset.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { SettingValues } from '../settingValues.ts';
import type { CurrentSettings, Settings } from '../settings.ts';
import { modeOfChat, type Chat, type ChatHost } from './chat.ts';
import type { LastMode } from './modes.ts';
import type { OpenChats } from './openChats.ts';

/** The objects of the window that requests of any chat need. */
export interface RequestWindow {
  readonly settings: Settings;
  readonly connection: ConnectionFeature;
  readonly chats: OpenChats;
  readonly context: Lazy<ContextFeature>;
  readonly tools: { forTurn(): Promise<Pick<TurnTools, 'toolbox' | 'maxRounds'>> };
  readonly lastMode: LastMode;
}

/** How a chat sends: to the connected service, with the tools and instructions of the window. */
export class WindowChatHost implements ChatHost {
  readonly clock = systemClock;
  readonly meter: TokenMeter;
  readonly #conversation: LiveConversation;
  readonly #preset: ChatPreset;
  readonly #window: RequestWindow;

  constructor(conversation: LiveConversation, preset: ChatPreset, window: RequestWindow) {
    this.#conversation = conversation;
    this.#preset = preset;
    this.#window = window;
    this.meter = window.connection.service.meter;
  }

  get proposedMode(): ChatMode {
    return this.#window.lastMode.current;
  }

  connect(model: string): ReturnType<ServiceAccess['connect']> {
    return this.#window.connection.service.connect('chat', model, this.#chat?.account);
  }

  asSent(request: CompletionRequest): CompletionRequest {
    const chat = this.#chat;
    return chat ? this.#window.connection.service.asSent(request, chat.account) : request;
  }

  async tools({ model, question }: Turn): Promise<TurnTools | undefined> {
    const { connection, settings, tools, chats } = this.#window;
    if (this.#mode === 'chat' || connection.tools.obstacle(model) !== undefined) return undefined;
    const { toolbox: allowed, maxRounds } = await tools.forTurn();
    const limit = limitOfTurn(model, settings.current(), connection.connection.isDemo);
    const conversation = this.#conversation;
    // A mode that is lowered while the turn runs counts at once.
    const mode = (): ChatMode => modeOfMessage(question, this.#mode);
    const all = chatTools(allowed, this.#preset, () => conversation.current, mode);
    const chat = this.#chat;
    const toolbox = chat !== undefined && chats.isAside(chat) ? all?.runningReading : all;
    return toolbox && { toolbox, maxRounds, limit };
  }

  describe(error: unknown, model: string): TurnError {
    return this.#window.connection.describe(error, model);
  }

  async prepare(about: readonly (readonly string[])[], mayAsk: boolean): Promise<void> {
    const { context, settings } = this.#window;
    await this.#preset.refresh();
    // Instruction files are read only in a trusted workspace.
    if (vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined)
      await (await context.load()).prepare(about, mayAsk);
    if (this.#mode === 'chat' || !settings.current().tools.enabled) return;
    const { skills } = await context.load();
    await (mayAsk ? skills.prepare() : skills.read());
  }

  settings(model: string): PromptSettings {
    const { connection, context, settings } = this.#window;
    const ofChat = {
      settings,
      preset: this.#preset,
      instructions: context.value?.instructions.used ?? [],
      skills: context.value?.skills.listed ?? [],
      mode: this.#mode,
    };
    const { service } = connection.connection.placeOf(model);
    return { ...promptSettings(model, ofChat), service };
  }

  async checkMessage({ text, attachments }: UserMessage, models: readonly string[]): Promise<void> {
    const { connection, settings } = this.#window;
    // A message with a key of the person is refused.
    await connection.service.check([text, ...attachments.map((attachment) => attachment.text)]);
    const hasImages = attachments.some(({ image }) => image !== undefined);
    for (const model of hasImages ? models : [])
      requireImageInput(model, settingsOfModel(settings.current(), model));
  }

  get #mode(): ChatMode {
    return modeOfChat(this.#conversation.current, this.proposedMode);
  }

  /** Undefined once it is closed. */
  get #chat(): Chat | undefined {
    return this.#window.chats.ofConversation(this.#conversation.current.id);
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
