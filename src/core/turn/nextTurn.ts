import {
  runningTurn,
  type Attachment,
  type Conversation,
  type Turn,
  type TurnError,
  type UserMessage,
} from '../conversation/conversation.ts';
import type { TurnStart } from '../conversation/events.ts';
import type { LiveConversation } from '../conversation/liveConversation.ts';
import { modeOfMessage } from '../conversation/mode.ts';
import { idOfEnd, pathOf } from '../conversation/paths.ts';
import { reduce } from '../conversation/reduce.ts';
import type { Clock } from '../support/clock.ts';
import { newId } from '../support/id.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Client } from '../service/client.ts';
import type { CompletionRequest } from '../service/wire.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import type { SentRequest } from './cacheEstimate.ts';
import { pathsOfTurns } from './instructionScope.ts';
import type { ImageUrls } from './messagePieces.ts';
import {
  composeRequest,
  continueMessage,
  cutFor,
  mergeOptions,
  sentImages,
  tokensOfPrompt,
  type PromptSettings,
} from './prompt.ts';
import {
  listParts,
  possibleParts,
  requestParts,
  type ListedPart,
  type RequestPart,
} from './requestParts.ts';
import type { TurnTools } from './runTurn.ts';
import type { TokenMeter } from '../service/requestUsage.ts';

/** What a request is built from, besides the conversation. */
export interface PromptSource {
  readonly clock: Clock;
  readonly meter: TokenMeter;
  settings(model: string): PromptSettings;
}

/**
 * What a chat needs of its window to run a turn. The extension has one implementation, and tests
 * have their own.
 */
export interface TurnHost extends PromptSource {
  /** The service of a model; rejects if there is none. */
  connect(model: string): Promise<TurnService>;
  /**
   * Resolves when everything that settings add to a message is loaded.
   *
   * @param about for each message so far, the paths of its attachments
   * @param mayAsk true if the message is sent, so that the person can decide about what is added
   */
  prepare?(about: readonly (readonly string[])[], mayAsk: boolean): Promise<void>;
  /** The tools for the model of a turn; undefined if it gets none. */
  tools(turn: Turn): Promise<TurnTools | undefined>;
  /** Describes an error for the person, with a remedy. */
  describe(error: unknown, model: string): TurnError;
  /** Maps a request to the one that the client sends. */
  asSent?(request: CompletionRequest): CompletionRequest;
}

/** The service that a turn is sent to. */
interface TurnService {
  readonly client: Client;
  /** True if its usage costs nothing. */
  readonly demo: boolean;
  readonly service?: string | undefined;
}

/** A turn that has not been started. */
export interface TurnPreview {
  readonly conversation: Conversation;
  readonly turn: Turn;
  readonly settings: PromptSettings;
}

/** The event that starts the next turn with a message. */
export function turnStart(
  message: UserMessage,
  model: string,
  conversation: Conversation,
  source: PromptSource,
): TurnStart {
  const settings = source.settings(model);
  const requestOptions = mergeOptions(settings.options, conversation.options);
  const json = requestOptions.json === true;
  const mode = modeOfMessage(message, requestOptions.mode ?? 'agent');
  const withoutTools = mode === 'chat';
  const cut = cutFor(message, model, conversation, settings, (characters) =>
    source.meter.estimate(model, characters, 'prompt'),
  );
  return {
    type: 'turn-start',
    id: newId(),
    question: message,
    model,
    json,
    after: idOfEnd(conversation),
    at: source.clock.wall(),
    ...(withoutTools ? { withoutTools } : {}),
    ...(mode === 'agent' ? {} : { mode }),
    ...cut,
  };
}

/** The turn that a message would start after the current turns. */
export function previewTurn(
  message: UserMessage,
  model: string,
  now: Conversation,
  source: PromptSource,
): TurnPreview {
  const before = { ...now, turns: pathOf(now), running: undefined };
  const conversation = reduce(before, turnStart(message, model, before, source));
  return { conversation, turn: runningTurn(conversation), settings: source.settings(model) };
}

/** The next request, and the last one for comparison. */
export interface RequestPlan {
  readonly request: CompletionRequest;
  readonly parts: readonly RequestPart[];
  readonly listed: readonly ListedPart[];
  readonly turn: string;
  /** Maximum number of prompt tokens, which leaves room for the reply; undefined if unknown. */
  readonly room: number | undefined;
  /** The last request on the same path; undefined before the first. */
  readonly last: SentRequest | undefined;
}

/** Inputs of this window's last request, besides the conversation. */
export interface SentWith {
  readonly turn: string;
  readonly settings: PromptSettings;
  readonly definitions: readonly ToolDefinition[];
  /** The summaries of the chat when the request was sent. */
  readonly summaries?: Conversation['summaries'];
  /** Usage that the service reported; absent until then. */
  readonly usage?: Usage | undefined;
}

interface ImageSource {
  load(images: readonly Attachment[]): Promise<ImageUrls>;
}

/** Plans the next request of a chat, and compares it with the last one that was sent. */
export class RequestPlanner {
  readonly conversation: LiveConversation;
  readonly host: TurnHost;
  readonly #images: ImageSource | undefined;
  #definitions: readonly ToolDefinition[] | undefined;
  #sent: SentWith | undefined;

  /** @param images reads the images of messages; undefined if there are none */
  constructor(conversation: LiveConversation, host: TurnHost, images?: ImageSource) {
    this.conversation = conversation;
    this.host = host;
    this.#images = images;
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

  /** Called when messages were added to the last turn, which may have more images. */
  setSettings(turn: string, settings: PromptSettings): void {
    if (this.#sent?.turn === turn) this.#sent = { ...this.#sent, settings };
  }

  /** Called with the reported usage. Ignored unless it is for the last turn. */
  setUsage(turn: string, usage: Usage): void {
    if (this.#sent?.turn === turn) this.#sent = { ...this.#sent, usage };
  }

  /** The turn that a message would start, after all current turns or in place of one. */
  preview(message: UserMessage, model: string, replaced?: string): TurnPreview {
    const { current } = this.conversation;
    const all = pathOf(current);
    const index = all.findIndex(({ id }) => id === replaced);
    const before =
      index < 0 ? current : { ...current, turns: all.slice(0, index), running: undefined };
    return previewTurn(message, model, before, this.host);
  }

  /**
   * Builds the request of a message without sending it. Asks the person nothing.
   *
   * @param replaced see {@link preview}
   */
  async plan(message: UserMessage, model: string, replaced?: string): Promise<RequestPlan> {
    const next = this.preview(message, model, replaced);
    await this.host.prepare?.(pathsOfTurns(next.conversation.turns, next.turn), false);
    const { conversation, turn, settings: outlined } = this.preview(message, model, replaced);
    const settings = await this.withImages(outlined, conversation, turn);
    const tools = await this.host.tools(turn);
    const definitions = tools?.toolbox.definitions ?? [];
    if (tools !== undefined) this.#definitions ??= definitions;
    const source = composeRequest(conversation, turn, settings, definitions);
    const request = this.host.asSent?.(source.request) ?? source.request;
    const parts = requestParts(request, source);
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
    if (settings.images === undefined || this.#images === undefined) return settings;
    return { ...settings, images: await this.#images.load(sentImages(conversation, turn)) };
  }
}

/**
 * Rebuilds the last request of a conversation: that of its last turn, before the reply.
 *
 * @param conversation ends with the turn that is previewed
 * @param sent inputs of the last request; without them, those of the next request are assumed
 */
function lastRequest(
  { turns, ...others }: Conversation,
  sent: SentWith | undefined,
  next: Omit<SentWith, 'turn'>,
): SentRequest | undefined {
  const index = turns.findLastIndex(
    ({ imported, usage }) => imported !== true && usage !== undefined && usage.requests > 0,
  );
  const turn = turns[index];
  if (turn?.usage === undefined) return undefined;
  const known = sent?.turn === turn.id ? sent : undefined;
  const { settings, definitions } = known ?? next;
  const before = others.summaries?.filter(({ at }) => at <= turn.startedAt);
  const conversation: Conversation = {
    ...others,
    turns: turns.slice(0, index + 1),
    running: undefined,
    summaries: known === undefined ? before : known.summaries,
  };
  const source = composeRequest(conversation, turn, settings, definitions);
  const messages = beforeReply(source.request.messages);
  return {
    model: turn.model,
    parts: requestParts({ ...source.request, messages }, source),
    usage: known?.usage ?? {
      ...turn.usage,
      // Of the turn's requests, the last has the largest cached prefix.
      cached_tokens: Math.floor(turn.usage.cached_tokens / turn.usage.requests),
    },
  };
}

/** Removes the reply at the end, which the last request did not have. */
function beforeReply(messages: CompletionRequest['messages']): CompletionRequest['messages'] {
  const last = messages.at(-1);
  const isContinued = last?.role === 'user' && last.content === continueMessage;
  const prompt = isContinued ? messages.slice(0, -1) : messages;
  const end = prompt.findLastIndex(({ role }) => role !== 'tool');
  const isReply = prompt[end]?.role === 'assistant';
  return isReply ? prompt.slice(0, end) : prompt;
}

/**
 * The model for a retry of a turn: the turn's own, or the selected one if its own never replied, if
 * the error was about the model, or if the turn was imported.
 */
export async function modelToRetry(
  turn: Turn,
  requireModel: () => Promise<string>,
): Promise<string> {
  const chosen = await requireModel();
  const needsOtherModel = turn.error?.remedy === 'select-model' || turn.status === 'failed';
  const isChosenByPerson = turn.imported !== true && turn.model !== '';
  return needsOtherModel || !isChosenByPerson ? chosen : turn.model;
}
