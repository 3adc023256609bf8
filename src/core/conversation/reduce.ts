import type {
  Conversation,
  Part,
  ReasoningPart,
  Turn,
  TurnError,
  UnsettledUsage,
} from './conversation.ts';
import { addCompared, endComparison, runningTurns } from './comparison.ts';
import type {
  ChatShorten,
  ComparedTurnStart,
  ConversationEvent,
  TurnEnd,
  TurnEvent,
  TurnStart,
} from './events.ts';
import { changeChoices } from './partChoices.ts';
import { changeTurn, choosePath, endPathAfter, idOfEnd, leavePath } from './paths.ts';
import { reduceCalls, stopCalls } from './reduceCalls.ts';
import { addSummary, switchSummary, withoutSummariesOf } from './summaries.ts';
import { addUsage, usualRatio, zeroUsage } from './usage.ts';

/**
 * Applies an event: the only place where a conversation changes, run by the host and by the view
 * alike. Events that do not apply (a delta after the end) change nothing, so a journal with a
 * damaged line still loads.
 */
export function reduce(conversation: Conversation, event: ConversationEvent): Conversation {
  switch (event.type) {
    case 'turn-start':
      return startTurn(conversation, event.after, {
        ...newTurn(conversation, event),
        question: event.question,
      });
    case 'compared-turn-start':
      return addCompared(conversation, newTurn(conversation, event), event.replaces);
    case 'compared-turn-event':
      return reduceCompared(conversation, event.turn, event.event);
    case 'turn-continue':
      return continueTurn(conversation, event.at);
    case 'turn-remove':
      return removeTurn(conversation, event.id, event.moved === true);
    case 'version-select':
      return selectVersion(conversation, event.turn);
    case 'options-change':
      return { ...conversation, options: event.options };
    case 'part-choice':
      return chooseParts(conversation, event);
    case 'preset-change':
      return { ...conversation, preset: event.preset };
    case 'title-change':
      return { ...conversation, title: event.title || undefined };
    case 'pin-change':
      return { ...conversation, pinned: event.pinned || undefined };
    case 'chat-shorten':
      return countChat(addSummary(conversation, event.summary), event.summary.model, event);
    case 'summary-use':
      return switchSummary(conversation, event.summary, event.used);
    case 'chat-usage':
      return countChat(conversation, event.model, event);
    case 'chat-import':
      return {
        ...conversation,
        importedUsage: event.usage,
        ...(event.others === undefined ? {} : { others: event.others }),
      };
    case 'turn-import':
      return { ...conversation, turns: [...conversation.turns, event.turn] };
    case 'files-change':
      return changeTurn(conversation, event.turn, (turn) => ({ ...turn, changes: event.changes }));
    case 'files-restore':
      return changeTurn(conversation, event.turn, (turn) => ({
        ...turn,
        fileRestore: event.restore,
      }));
    case 'record-loss':
      return loseRecord(conversation);
    default:
      return conversation.running === undefined
        ? conversation
        : reduceRunning(conversation, conversation.running, event);
  }
}

function newTurn(
  { partChoices }: Conversation,
  event: TurnStart | ComparedTurnStart,
): Omit<Turn, 'question'> {
  return {
    id: event.id,
    model: event.model,
    json: event.json,
    withoutTools: event.withoutTools,
    ...(event.mode === undefined ? {} : { mode: event.mode }),
    firstSent: event.firstSent,
    shortResultsBefore: event.shortResultsBefore,
    ...(partChoices === undefined ? {} : { partChoices }),
    status: 'waiting',
    parts: [],
    startedAt: event.at,
    runningSince: event.at,
    duration: 0,
  };
}

function chooseParts(
  conversation: Conversation,
  { parts, choice }: Extract<ConversationEvent, { type: 'part-choice' }>,
): Conversation {
  const partChoices = changeChoices(conversation.partChoices, parts, choice);
  return partChoices === conversation.partChoices ? conversation : { ...conversation, partChoices };
}

/** Applies an event to a compared turn, which may have ended. */
function reduceCompared(conversation: Conversation, id: string, event: TurnEvent): Conversation {
  const { running, compared = [] } = conversation;
  if (running?.id === id) return reduceRunning(conversation, running, event);
  const index = compared.findIndex((turn) => turn.id === id);
  const turn = compared[index];
  if (turn === undefined || turn.endedAt !== undefined) return conversation;
  const { next, used } = stepOf(turn, event);
  const counted = used === undefined ? conversation : countUsage(conversation, used, turn.model);
  return { ...counted, compared: compared.with(index, next) };
}

function reduceRunning(conversation: Conversation, turn: Turn, event: TurnEvent): Conversation {
  const { next, used } = stepOf(turn, event);
  const counted = used === undefined ? conversation : countUsage(conversation, used, turn.model);
  return updateRunningTurn(counted, next);
}

/** The turn after an event, and the usage that the event adds to the sums. */
function stepOf(turn: Turn, event: TurnEvent) {
  const next = reduceTurn(turn, event);
  const used = settledUsage(turn, event);
  return used === undefined ? { next, used } : { next: addTurnUsage(next, used), used };
}

/** A request whose usage was never reported keeps its estimate when the turn ends. */
function settledUsage(turn: Turn, event: TurnEvent): UnsettledUsage | undefined {
  if (event.type === 'usage') return event;
  return event.type === 'turn-end' ? turn.unsettled && withReceived(turn.unsettled) : undefined;
}

/** The usage of an interrupted request: its prompt, and the stored text. */
function withReceived({ usage, demo, received = 0 }: UnsettledUsage): UnsettledUsage {
  const reply = Math.ceil(received / usualRatio);
  const completion_tokens = usage.completion_tokens + reply;
  const total_tokens = usage.total_tokens + reply;
  return { usage: { ...usage, completion_tokens, total_tokens }, demo };
}

function reduceTurn(turn: Turn, event: TurnEvent): Turn {
  switch (event.type) {
    case 'request-retry':
      return { ...turn, status: 'retrying', retry: event.retry };
    case 'request-start':
      return { ...turn, status: 'waiting', retry: undefined };
    case 'text-delta':
      return streaming(
        receiving(resumed(turn), event.text),
        appendText(turn, event.text, event.at),
      );
    case 'reasoning-delta':
      return streaming(receiving(turn, event.text), appendReasoning(turn, event.text, event.at));
    case 'tool-call-start':
    case 'tool-call-ask':
    case 'tool-call-run':
    case 'tool-call-output':
    case 'tool-call-result':
      return {
        ...resumed(turn),
        status: 'calling',
        retry: undefined,
        parts: reduceCalls(turn.parts, event),
      };
    case 'tool-call-end':
      return streaming(resumed(turn), [...turn.parts, notRun(event.call)]);
    case 'turn-pause':
      return { ...turn, status: 'paused', pause: event.pause };
    case 'turn-resume':
      return { ...turn, status: 'waiting', pause: undefined };
    case 'request-sent':
      return { ...turn, unsettled: { usage: event.usage, demo: event.demo } };
    case 'usage':
      return { ...turn, parts: countReasoning(turn.parts, event.usage.reasoning_tokens) };
    case 'turn-end':
      return {
        ...turn,
        status: event.status,
        parts: stopCalls(endReasoning(turn.parts, event.at), event.at),
        pause: undefined,
        finishReason: event.finishReason,
        malformedEvents: event.malformedEvents,
        error: event.error,
        continued: undefined,
        retry: undefined,
        endedAt: event.at,
        duration: turn.duration + Math.max(0, event.at - turn.runningSince),
      };
  }
}

/**
 * Starts a turn. If another is still running, its end was in a damaged record: it is ended here, so
 * that texts are not mixed up.
 */
function startTurn(
  conversation: Conversation,
  after: string | undefined,
  turn: Turn,
): Conversation {
  const ended = endInterrupted(conversation);
  const base = after === undefined ? ended : endPathAfter(ended, after);
  return { ...base, running: turn };
}

/** Ends all running turns, and an open comparison. */
export function endInterrupted(conversation: Conversation): Conversation {
  return endComparison(interruptedEnds(conversation).reduce(reduce, conversation));
}

function continueTurn(conversation: Conversation, at: number): Conversation {
  if (conversation.running !== undefined) return conversation;
  const ended = endInterrupted(conversation);
  const turn = ended.turns.at(-1);
  if (turn === undefined) return conversation;
  const { partChoices } = ended;
  return {
    ...withoutSummariesOf(ended, turn.id),
    turns: ended.turns.slice(0, -1),
    running: {
      ...turn,
      ...(partChoices === turn.partChoices ? {} : { partChoices }),
      status: 'waiting',
      runningSince: at,
      continued: turn.parts.at(-1)?.type === 'text',
      endedAt: undefined,
      finishReason: undefined,
      error: undefined,
    },
  };
}

function removeTurn(conversation: Conversation, id: string, moved: boolean): Conversation {
  const { running, compared } = conversation;
  const isAlone = compared === undefined;
  if (running?.id === id && isAlone && (moved || running.parts.length === 0)) {
    const { unsettled, model } = running;
    const isCounted = unsettled === undefined;
    const counted = isCounted ? conversation : countUsage(conversation, unsettled, model);
    return { ...counted, running: undefined };
  }
  const ended = endInterrupted(conversation);
  const { turns } = ended;
  // A damaged journal may contain a turn twice: the path ends before the newest one.
  const index = turns.findLastIndex((turn) => turn.id === id);
  if (index < 0) return conversation;
  const isLast = index === turns.length - 1;
  return moved && isLast ? { ...ended, turns: turns.slice(0, -1) } : leavePath(ended, index);
}

function selectVersion(conversation: Conversation, id: string): Conversation {
  const { running, compared } = conversation;
  if (running?.id === id && compared === undefined) return conversation;
  const ended = endInterrupted(conversation);
  const chosen = choosePath(ended, id);
  const isFirst = compared !== undefined && idOfEnd(ended) === id;
  return chosen === ended && !isFirst ? conversation : chosen;
}

function notRun({ outcome, ...call }: Extract<TurnEvent, { type: 'tool-call-end' }>['call']): Part {
  return { type: 'tool-call', round: 1, status: outcome, ...call };
}

function loseRecord(conversation: Conversation): Conversation {
  const { turns } = conversation;
  // With several running turns, the lost record may belong to any of them.
  const runs = runningTurns(conversation);
  if (runs.length > 0)
    return runs.reduce((lost, { id }) => changeTurn(lost, id, withLoss), conversation);
  const last = turns.at(-1);
  return last === undefined
    ? conversation
    : { ...conversation, turns: turns.with(-1, withLoss(last)) };
}

function withLoss(turn: Turn): Turn {
  return { ...turn, lostRecords: (turn.lostRecords ?? 0) + 1 };
}

function countChat(
  conversation: Conversation,
  model: string,
  { usage, demo }: Pick<ChatShorten, 'usage' | 'demo'>,
): Conversation {
  return usage === undefined ? conversation : countUsage(conversation, { usage, demo }, model);
}

function countUsage(conversation: Conversation, used: UnsettledUsage, model: string): Conversation {
  if (used.usage.requests === 0) return conversation;
  const kind = used.demo === true ? 'demoUsage' : 'usage';
  const sums = conversation[kind] ?? {};
  const usage = addUsage(sums[model] ?? zeroUsage, used.usage);
  return { ...conversation, [kind]: { ...sums, [model]: usage } };
}

function addTurnUsage(turn: Turn, { usage }: UnsettledUsage): Turn {
  const sum = usage.requests === 0 ? turn.usage : addUsage(turn.usage ?? zeroUsage, usage);
  return { ...turn, usage: sum, unsettled: undefined };
}

/** Moves the running turn to the ended ones if it has ended. */
function updateRunningTurn(conversation: Conversation, turn: Turn): Conversation {
  if (turn.endedAt === undefined) return { ...conversation, running: turn };
  return { ...conversation, turns: [...conversation.turns, turn], running: undefined };
}

function streaming(turn: Turn, parts: readonly Part[]): Turn {
  return { ...turn, status: 'streaming', parts, retry: undefined };
}

/** Ends a continuation: once text or a call has come, later reasoning follows it. */
function resumed(turn: Turn): Turn {
  return turn.continued === true ? { ...turn, continued: undefined } : turn;
}

function receiving(turn: Turn, text: string): Turn {
  const { unsettled } = turn;
  if (unsettled === undefined) return turn;
  return {
    ...turn,
    unsettled: { ...unsettled, received: (unsettled.received ?? 0) + text.length },
  };
}

function appendText(turn: Turn, text: string, at: number): readonly Part[] {
  const { before, last } = split(turn.parts);
  return last?.type === 'text'
    ? [...endReasoning(before, at), { type: 'text', text: last.text + text }]
    : [...endReasoning(turn.parts, at), { type: 'text', text }];
}

/**
 * Appends reasoning. When a text continues, reasoning is inserted before that text, which stays one
 * part, so that its code blocks and lists continue.
 */
function appendReasoning(turn: Turn, text: string, at: number): readonly Part[] {
  const { before, last } = split(turn.parts);
  return turn.continued === true && last?.type === 'text'
    ? [...growReasoning(before, text, at), last]
    : growReasoning(turn.parts, text, at);
}

function growReasoning(parts: readonly Part[], text: string, at: number): readonly Part[] {
  const { before, last } = split(parts);
  return last?.type === 'reasoning' && last.endedAt === undefined
    ? [...before, { ...last, text: last.text + text }]
    : [...parts, { type: 'reasoning', text, startedAt: at }];
}

function endReasoning(parts: readonly Part[], at: number): readonly Part[] {
  return parts.some(isOpen)
    ? parts.map((part) => (isOpen(part) ? { ...part, endedAt: at } : part))
    : parts;
}

/** Divides the reasoning tokens of a request between the parts of its reply, by their lengths. */
function countReasoning(parts: readonly Part[], tokens: number | undefined): readonly Part[] {
  if (tokens === undefined) return parts;
  const first = parts.findLastIndex(({ type }) => type === 'tool-call') + 1;
  const uncounted = parts.slice(first).filter(isUncounted);
  const length = uncounted.reduce((sum, { text }) => sum + text.length, 0);
  return parts.map((part) =>
    isUncounted(part) && uncounted.includes(part)
      ? { ...part, tokens: Math.round((tokens * part.text.length) / length) }
      : part,
  );
}

function isUncounted(part: Part): part is ReasoningPart {
  return part.type === 'reasoning' && part.tokens === undefined;
}

function isOpen(part: Part): part is ReasoningPart {
  return part.type === 'reasoning' && part.endedAt === undefined;
}

function split(parts: readonly Part[]): { before: readonly Part[]; last: Part | undefined } {
  return { before: parts.slice(0, -1), last: parts.at(-1) };
}

/** The event that ends a turn whose host was terminated; undefined if no turn was running. */
export function interruptedTurnEnd(
  conversation: Conversation,
  error?: TurnError,
): TurnEnd | undefined {
  const turn = conversation.running;
  return turn && interruptedEnd(turn, error);
}

/** The events that end all turns whose host was terminated; a comparison has several. */
export function interruptedEnds(
  conversation: Conversation,
  error?: TurnError,
): readonly ConversationEvent[] {
  return runningTurns(conversation).map((turn) => {
    const event = interruptedEnd(turn, error);
    const isNewest = turn.id === conversation.running?.id;
    return isNewest ? event : { type: 'compared-turn-event', turn: turn.id, event };
  });
}

function interruptedEnd({ parts, runningSince }: Turn, error: TurnError | undefined): TurnEnd {
  const status = parts.length === 0 ? 'failed' : 'cut';
  // The time of the interruption is unknown, and the time since then is no part of the turn's
  // duration.
  return { type: 'turn-end', status, error, at: runningSince };
}
