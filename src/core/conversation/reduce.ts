import type {
  Conversation,
  Part,
  ReasoningPart,
  Turn,
  TurnError,
  UnsettledUsage,
} from './conversation.ts';
import type { ConversationEvent, TurnEnd } from './events.ts';
import { changeTurn, choosePath, endPathAfter, leavePath } from './paths.ts';
import { reduceCalls, stopCalls } from './reduceCalls.ts';
import { addUsage, zeroUsage } from './usage.ts';

/**
 * Applies an event: the only place where a conversation changes, run by the host and by the view
 * alike. Events that do not apply (a delta after the end) change nothing, so a journal with a
 * damaged line still loads.
 */
export function reduce(conversation: Conversation, event: ConversationEvent): Conversation {
  switch (event.type) {
    case 'turn-start':
      return startTurn(conversation, event.after, {
        id: event.id,
        question: event.question,
        model: event.model,
        json: event.json,
        withoutTools: event.withoutTools,
        firstSent: event.firstSent,
        status: 'waiting',
        parts: [],
        startedAt: event.at,
        runningSince: event.at,
        duration: 0,
      });
    case 'turn-continue':
      return continueTurn(conversation, event.at);
    case 'turn-remove':
      return removeTurn(conversation, event.id, event.moved === true);
    case 'version-select':
      return selectVersion(conversation, event.turn);
    case 'options-change':
      return { ...conversation, options: event.options };
    case 'title-change':
      return { ...conversation, title: event.title || undefined };
    case 'pin-change':
      return { ...conversation, pinned: event.pinned || undefined };
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

type TurnEvent = Exclude<
  ConversationEvent,
  {
    type:
      | 'turn-start'
      | 'turn-continue'
      | 'turn-remove'
      | 'version-select'
      | 'options-change'
      | 'title-change'
      | 'pin-change'
      | 'chat-import'
      | 'turn-import'
      | 'files-change'
      | 'files-restore'
      | 'record-loss';
  }
>;

function reduceRunning(conversation: Conversation, turn: Turn, event: TurnEvent): Conversation {
  const next = reduceTurn(turn, event);
  const used = settledUsage(turn, event);
  return used === undefined
    ? updateRunningTurn(conversation, next)
    : updateRunningTurn(countUsage(conversation, used), addTurnUsage(next, used));
}

/** A request whose usage was never reported keeps its estimate when the turn ends. */
function settledUsage(turn: Turn, event: TurnEvent): UnsettledUsage | undefined {
  if (event.type === 'usage') return event;
  return event.type === 'turn-end' ? turn.unsettled : undefined;
}

function reduceTurn(turn: Turn, event: TurnEvent): Turn {
  switch (event.type) {
    case 'request-retry':
      return { ...turn, status: 'retrying', retry: event.retry };
    case 'request-start':
      return { ...turn, status: 'waiting', retry: undefined };
    case 'text-delta':
      return streaming(turn, appendText(turn, event.text, event.at));
    case 'reasoning-delta':
      return streaming(turn, appendReasoning(turn, event.text, event.at));
    case 'tool-call-start':
    case 'tool-call-ask':
    case 'tool-call-run':
    case 'tool-call-output':
    case 'tool-call-result':
      return {
        ...turn,
        status: 'calling',
        retry: undefined,
        parts: reduceCalls(turn.parts, event),
      };
    case 'tool-call-end':
      return streaming(turn, [...turn.parts, notRun(event.call)]);
    case 'turn-pause':
      return { ...turn, status: 'paused', pause: event.pause };
    case 'turn-resume':
      return { ...turn, status: 'waiting', pause: undefined };
    case 'request-sent':
      return { ...turn, unsettled: { usage: event.usage, demo: event.demo } };
    case 'usage':
      return turn;
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
 * If a turn is still running, its end was lost in a damaged record. It is ended here, so that its
 * text is not mixed with the new turn's.
 */
function startTurn(
  conversation: Conversation,
  after: string | undefined,
  turn: Turn,
): Conversation {
  const ended = endInterrupted(conversation);
  const found = after === undefined ? ended : endPathAfter(ended, after);
  return { ...found, running: turn };
}

function endInterrupted(conversation: Conversation): Conversation {
  const end = interruptedTurnEnd(conversation);
  return end === undefined ? conversation : reduce(conversation, end);
}

function continueTurn(conversation: Conversation, at: number): Conversation {
  const turn = conversation.turns.at(-1);
  if (turn === undefined || conversation.running !== undefined) return conversation;
  return {
    ...conversation,
    turns: conversation.turns.slice(0, -1),
    running: {
      ...turn,
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
  const { running } = conversation;
  if (running?.id === id && (moved || running.parts.length === 0)) {
    const { unsettled } = running;
    const counted = unsettled === undefined ? conversation : countUsage(conversation, unsettled);
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
  if (conversation.running?.id === id) return conversation;
  const ended = endInterrupted(conversation);
  const chosen = choosePath(ended, id);
  return chosen === ended ? conversation : chosen;
}

function notRun({ outcome, ...call }: Extract<TurnEvent, { type: 'tool-call-end' }>['call']): Part {
  return { type: 'tool-call', round: 1, status: outcome, ...call };
}

function loseRecord(conversation: Conversation): Conversation {
  const { running, turns } = conversation;
  if (running !== undefined) return { ...conversation, running: withLoss(running) };
  const last = turns.at(-1);
  return last === undefined
    ? conversation
    : { ...conversation, turns: turns.with(-1, withLoss(last)) };
}

function withLoss(turn: Turn): Turn {
  return { ...turn, lostRecords: (turn.lostRecords ?? 0) + 1 };
}

function countUsage(conversation: Conversation, used: UnsettledUsage): Conversation {
  if (used.usage.requests === 0 || conversation.running === undefined) return conversation;
  const { model } = conversation.running;
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

function appendText(turn: Turn, text: string, at: number): readonly Part[] {
  const { before, last } = split(turn.parts);
  return last?.type === 'text'
    ? [...endReasoning(before, at), { type: 'text', text: last.text + text }]
    : [...endReasoning(turn.parts, at), { type: 'text', text }];
}

/**
 * Reasoning about the continuation of a text is inserted before that text, which stays one part, so
 * that its code blocks and lists continue.
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
  if (turn === undefined) return undefined;
  const status = turn.parts.length === 0 ? 'failed' : 'cut';
  // The time of the interruption is unknown, and the time since then is no part of the turn's
  // duration.
  return { type: 'turn-end', status, error, at: turn.runningSince };
}
