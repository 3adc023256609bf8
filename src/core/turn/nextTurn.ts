import {
  runningTurn,
  type Conversation,
  type UserMessage,
  type Turn,
} from '../conversation/conversation.ts';
import type { TurnStart } from '../conversation/events.ts';
import { modeOfMessage } from '../conversation/mode.ts';
import { idOfEnd } from '../conversation/paths.ts';
import { reduce } from '../conversation/reduce.ts';
import type { Clock } from '../support/clock.ts';
import { newId } from '../support/id.ts';
import type { Usage } from '../conversation/usage.ts';
import type { CompletionRequest } from '../service/wire.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import type { SentRequest } from './cacheEstimate.ts';
import {
  buildRequest,
  continueMessage,
  cutFor,
  mergeOptions,
  type PromptSettings,
} from './prompt.ts';
import { type ListedPart, partsOfTurn, type RequestPart } from './requestParts.ts';
import type { TokenMeter } from '../service/requestUsage.ts';

export interface NextTurnOptions {
  readonly clock: Clock;
  readonly settings: (model: string) => PromptSettings;
  readonly meter: TokenMeter;
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
  options: NextTurnOptions,
): TurnStart {
  const settings = options.settings(model);
  const requestOptions = mergeOptions(settings.options, conversation.options);
  const json = requestOptions.json === true;
  const mode = modeOfMessage(message, requestOptions.mode ?? 'agent');
  const withoutTools = mode === 'chat';
  const cut = cutFor(message, model, conversation, settings, (characters) =>
    options.meter.estimate(model, characters, 'prompt'),
  );
  return {
    type: 'turn-start',
    id: newId(),
    question: message,
    model,
    json,
    after: idOfEnd(conversation),
    at: options.clock.wall(),
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
  options: NextTurnOptions,
): TurnPreview {
  const { turns, running } = now;
  const ended = running === undefined ? turns : [...turns, running];
  const before = { ...now, turns: ended, running: undefined };
  const conversation = reduce(before, turnStart(message, model, before, options));
  return { conversation, turn: runningTurn(conversation), settings: options.settings(model) };
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

/**
 * Rebuilds the last request of a conversation: that of its last turn, before the reply.
 *
 * @param conversation ends with the turn that is previewed
 * @param sent inputs of the last request; without them, those of the next request are assumed
 */
export function lastRequest(
  { turns, ...others }: Conversation,
  sent: SentWith | undefined,
  next: Omit<SentWith, 'turn'>,
): SentRequest | undefined {
  const index = turns.findLastIndex(
    ({ imported, usage }) => imported !== true && usage !== undefined && usage.requests > 0,
  );
  const turn = turns[index];
  if (turn === undefined) return undefined;
  const known = sent?.turn === turn.id ? sent : undefined;
  const { settings, definitions } = known ?? next;
  const before = others.summaries?.filter(({ at }) => at <= turn.startedAt);
  const conversation: Conversation = {
    ...others,
    turns: turns.slice(0, index + 1),
    running: undefined,
    summaries: known === undefined ? before : known.summaries,
  };
  const request = buildRequest(conversation, turn, settings, definitions);
  const messages = beforeReply(request.messages);
  return {
    model: turn.model,
    parts: partsOfTurn({ ...request, messages }, conversation, turn, settings),
    usage: known?.usage ?? usageOfOne(turn),
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
 * Estimates the usage of the turn's last request, which has the largest cached prefix, from the sum
 * of all its requests.
 */
function usageOfOne({ usage }: Turn): Usage | undefined {
  if (usage === undefined) return undefined;
  return { ...usage, cached_tokens: Math.floor(usage.cached_tokens / usage.requests) };
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
