import {
  runningTurn,
  type Conversation,
  type Question,
  type Turn,
} from '../../core/conversation/conversation.ts';
import type { TurnStart } from '../../core/conversation/events.ts';
import { reduce } from '../../core/conversation/reduce.ts';
import type { Clock } from '../../core/support/clock.ts';
import { firstSentWith, mergeOptions, type PromptSettings } from '../../core/turn/prompt.ts';
import type { TokenMeter } from '../../core/turn/reply.ts';

/** What a turn begins with, besides its question. */
export interface NextTurnSources {
  readonly clock: Pick<Clock, 'wall'>;
  readonly newId: () => string;
  readonly settings: (model: string) => PromptSettings;
  readonly meter: Pick<TokenMeter, 'estimate'>;
}

/** A turn that did not begin. */
export interface Preview {
  readonly conversation: Conversation;
  readonly turn: Turn;
  readonly settings: PromptSettings;
}

/** How a question begins the next turn of a conversation. */
export function turnStart(
  question: Question,
  model: string,
  conversation: Conversation,
  sources: NextTurnSources,
): TurnStart {
  const settings = sources.settings(model);
  const options = mergeOptions(settings.options, conversation.options);
  const json = options.json === true;
  const firstSent = firstSentWith(question, conversation, settings, (characters) =>
    sources.meter.estimate(model, characters),
  );
  return {
    ...{ type: 'turn-start', id: sources.newId(), question, model, json, at: sources.clock.wall() },
    ...(firstSent === undefined ? {} : { firstSent }),
  };
}

/** What a question would be as the newest turn, after all that is there now. */
export function previewTurn(
  question: Question,
  model: string,
  now: Conversation,
  sources: NextTurnSources,
): Preview {
  const { turns, running } = now;
  const ended = running === undefined ? turns : [...turns, running];
  const before = { ...now, turns: ended, running: undefined };
  const conversation = reduce(before, turnStart(question, model, before, sources));
  return { conversation, turn: runningTurn(conversation), settings: sources.settings(model) };
}

/**
 * The model that a turn is asked of again: its own, unless it never answered or its error was about
 * the model. Then it is the one that was chosen since.
 */
export async function modelToRetry(
  turn: Turn,
  requireModel: () => Promise<string>,
): Promise<string> {
  const chosen = await requireModel();
  const unanswered = turn.error?.remedy === 'select-model' || turn.status === 'failed';
  return unanswered || turn.model === '' ? chosen : turn.model;
}
