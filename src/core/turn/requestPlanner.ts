import type { Attachment, Conversation, Turn, UserMessage } from '../conversation/conversation.ts';
import type { LiveConversation } from '../conversation/liveConversation.ts';
import type { Usage } from '../conversation/usage.ts';
import type { CompletionRequest } from '../service/wire.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { pathsOfTurns } from './instructionScope.ts';
import type { ImageUrls } from './messagePieces.ts';
import {
  lastRequest,
  previewTurn,
  type NextTurnOptions,
  type RequestPlan,
  type SentWith,
  type TurnPreview,
} from './nextTurn.ts';
import { buildRequest, sentImages, tokensOfPrompt, type PromptSettings } from './prompt.ts';
import { listParts, partsOfTurn, possibleParts } from './requestParts.ts';
import type { TurnTools } from './runTurn.ts';

export interface RequestPlannerOptions extends NextTurnOptions {
  /**
   * Resolves when everything that settings add to a message is loaded.
   *
   * @param about for each message so far, the paths of its attachments
   * @param mayAsk true if the message is sent, so that the person can decide about what is added
   */
  readonly prepare?:
    | ((about: readonly (readonly string[])[], mayAsk: boolean) => Promise<void>)
    | undefined;
  readonly loadImages?: ((images: readonly Attachment[]) => Promise<ImageUrls>) | undefined;
  /** Maps a request to the one that the client sends. */
  readonly asSent?: (request: CompletionRequest) => CompletionRequest;
  /** The tools for the model of a turn; undefined if it gets none. */
  readonly tools: (turn: Turn) => Promise<Omit<TurnTools, 'resumed'> | undefined>;
}

/** Plans the next request of a chat, and compares it with the last one that was sent. */
export class RequestPlanner {
  readonly #conversation: LiveConversation;
  readonly #options: RequestPlannerOptions;
  #definitions: readonly ToolDefinition[] | undefined;
  #sent: SentWith | undefined;

  constructor(conversation: LiveConversation, options: RequestPlannerOptions) {
    this.#conversation = conversation;
    this.#options = options;
  }

  /**
   * The tool definitions of the last request that was sent or planned; undefined before the first.
   */
  get definitions(): readonly ToolDefinition[] | undefined {
    return this.#definitions;
  }

  /** Called with the {@link definitions} of a request before it is sent. */
  setDefinitions(definitions: readonly ToolDefinition[]): void {
    this.#definitions = definitions;
  }

  setSent(sent: SentWith): void {
    this.#sent = sent;
  }

  /** Called with the reported usage. Ignored unless it is for the last turn. */
  setUsage(turn: string, usage: Usage): void {
    if (this.#sent?.turn === turn) this.#sent = { ...this.#sent, usage };
  }

  /** The turn that a message would start, after all current turns or in place of one. */
  preview(message: UserMessage, model: string, replaced?: string): TurnPreview {
    const { current } = this.#conversation;
    const { turns, running } = current;
    if (replaced !== undefined && replaced === running?.id) {
      const ended = { ...current, running: undefined };
      return previewTurn(message, model, ended, this.#options);
    }
    const index = turns.findIndex(({ id }) => id === replaced);
    const before =
      index < 0 ? current : { ...current, turns: turns.slice(0, index), running: undefined };
    return previewTurn(message, model, before, this.#options);
  }

  /**
   * Builds the request of a message without sending it. Asks the person nothing.
   *
   * @param replaced see {@link preview}
   */
  async plan(message: UserMessage, model: string, replaced?: string): Promise<RequestPlan> {
    const next = this.preview(message, model, replaced);
    await this.#options.prepare?.(pathsOfTurns(next.conversation.turns, next.turn), false);
    const { conversation, turn, settings: outlined } = this.preview(message, model, replaced);
    const settings = await this.withImages(outlined, conversation, turn);
    const tools = await this.#options.tools(turn);
    const definitions = tools?.toolbox.definitions ?? [];
    if (tools !== undefined) this.#definitions ??= definitions;
    const built = buildRequest(conversation, turn, settings, definitions);
    const request = this.#options.asSent?.(built) ?? built;
    const parts = partsOfTurn(request, conversation, turn, settings);
    // Images that are not sent are listed by placeholders.
    const sent = new Set(sentImages(conversation, turn));
    const images = outlined.images && {
      images: (image: Attachment) => (sent.has(image) ? settings : outlined).images?.(image),
    };
    const possible = possibleParts(conversation, turn, { ...settings, ...images }, definitions);
    return {
      request,
      parts,
      listed: listParts(parts, possible, turn),
      turn: turn.id,
      room: tokensOfPrompt(settings, conversation.options),
      last: lastRequest(conversation, this.#sent, { settings, definitions }),
    };
  }

  /** The settings with the images that are sent. Other images have placeholders. */
  async withImages(
    settings: PromptSettings,
    conversation: Conversation,
    turn: Turn,
  ): Promise<PromptSettings> {
    const { loadImages } = this.#options;
    if (settings.images === undefined || loadImages === undefined) return settings;
    return { ...settings, images: await loadImages(sentImages(conversation, turn)) };
  }
}
