import {
  runningTurn,
  type Conversation,
  type UserMessage,
  type Turn,
} from '../../core/conversation/conversation.ts';
import { defaultChoice } from '../../core/conversation/comparison.ts';
import type { ComparedTurnStart, TurnStart } from '../../core/conversation/events.ts';
import { idOfEnd } from '../../core/conversation/paths.ts';
import { reduce } from '../../core/conversation/reduce.ts';
import type { Clock } from '../../core/support/clock.ts';
import { newId } from '../../core/support/id.ts';
import { firstSentWith, mergeOptions, type PromptSettings } from '../../core/turn/prompt.ts';
import type { TokenMeter } from '../../core/turn/requestUsage.ts';

/** The inputs of a new turn besides its message. */
export interface NextTurnOptions {
  readonly clock: Pick<Clock, 'wall'>;
  readonly settings: (model: string) => PromptSettings;
  readonly meter: Pick<TokenMeter, 'estimate'>;
}

/** A turn that has not been started. */
export interface TurnPreview {
  readonly conversation: Conversation;
  readonly turn: Turn;
  readonly settings: PromptSettings;
}

/** The event by which a message starts the next turn. */
export function turnStart(
  message: UserMessage,
  model: string,
  conversation: Conversation,
  options: NextTurnOptions,
): TurnStart {
  const settings = options.settings(model);
  const requestOptions = mergeOptions(settings.options, conversation.options);
  const json = requestOptions.json === true;
  const withoutTools = requestOptions.withoutTools === true;
  const firstSent = firstSentWith(message, conversation, settings, (characters) =>
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
    ...(firstSent === undefined ? {} : { firstSent }),
  };
}

/** The same for a further model, whose turn is compared with the first one. */
export function comparedTurnStart(
  { id, model, json, firstSent, at }: TurnStart,
  replaces?: string,
): ComparedTurnStart {
  return {
    type: 'compared-turn-start',
    id,
    model,
    json,
    at,
    ...(firstSent === undefined ? {} : { firstSent }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}

/** The turn that a message would start, after all current turns. */
export function previewTurn(
  message: UserMessage,
  model: string,
  now: Conversation,
  options: NextTurnOptions,
): TurnPreview {
  const chosen = defaultChoice(now)?.id;
  if (chosen !== undefined) {
    const next = reduce(now, { type: 'version-select', turn: chosen });
    return previewTurn(message, model, next, options);
  }
  const { turns, running } = now;
  const ended = running === undefined ? turns : [...turns, running];
  const before = { ...now, turns: ended, running: undefined };
  const conversation = reduce(before, turnStart(message, model, before, options));
  return { conversation, turn: runningTurn(conversation), settings: options.settings(model) };
}

/**
 * The model with which to retry a turn: its own, unless it never replied or the error was about the
 * model. Then it is the selected one.
 */
export async function modelToRetry(
  turn: Turn,
  requireModel: () => Promise<string>,
): Promise<string> {
  const chosen = await requireModel();
  const needsOtherModel = turn.error?.remedy === 'select-model' || turn.status === 'failed';
  return needsOtherModel || turn.model === '' ? chosen : turn.model;
}
