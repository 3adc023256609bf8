import {
  lastTurn,
  type Conversation,
  type Turn,
  type TurnError,
  type UnsettledUsage,
} from './conversation.ts';
import type {
  ChatShorten,
  ComparedTurnStart,
  ConversationEvent,
  TurnEnd,
  TurnEvent,
  TurnStart,
} from './events.ts';
import { changeChoices } from './partChoices.ts';
import {
  addOthers,
  changeTurn,
  choosePath,
  endPathAfter,
  leavePath,
  turnsOfAllPaths,
} from './paths.ts';
import { reduceTurn } from './reduceTurn.ts';
import { addSummary, switchSummary, withoutSummariesOf } from './summaries.ts';
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
        ...newTurn(conversation, event),
        question: event.question,
      });
    case 'compared-turn-start':
      return addCompared(conversation, event);
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
      return shorten(conversation, event);
    case 'summary-use':
      return switchSummary(conversation, event.summary, event.used);
    case 'chat-usage':
      return countUsage(conversation, event, event.model);
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
    case 'processes-change':
      return changeTurn(conversation, event.turn, (turn) => ({
        ...turn,
        parts: turn.parts.map((part) =>
          part.type === 'tool-call' && part.id === event.call
            ? { ...part, leftRunning: event.processes.length === 0 ? undefined : event.processes }
            : part,
        ),
      }));
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

function shorten(conversation: Conversation, { summary, usage, demo }: ChatShorten): Conversation {
  return countUsage(addSummary(conversation, summary), usage && { usage, demo }, summary.model);
}

function chooseParts(
  conversation: Conversation,
  { parts, choice }: Extract<ConversationEvent, { type: 'part-choice' }>,
): Conversation {
  const partChoices = changeChoices(conversation.partChoices, parts, choice);
  return partChoices === conversation.partChoices ? conversation : { ...conversation, partChoices };
}

/**
 * Version 1.0 sent one message to several models at once. The first reply was that of the newest
 * turn; each of the others becomes a version of it.
 */
function addCompared(conversation: Conversation, event: ComparedTurnStart): Conversation {
  const newest = lastTurn(conversation);
  if (newest === undefined) return conversation;
  const turn = { ...newTurn(conversation, event), question: newest.question };
  const { turns, running, others = [] } = conversation;
  const before = running === undefined ? turns.slice(0, -1) : turns;
  if (event.replaces === newest.id && running === undefined)
    return { ...leavePath(conversation, before.length), running: turn };
  const after = before.at(-1)?.id ?? '';
  const group = { after, order: [newest.id, turn.id], paths: [[turn]] };
  return { ...conversation, others: addOthers(others, group) };
}

function reduceCompared(conversation: Conversation, id: string, event: TurnEvent): Conversation {
  const turn = turnsOfAllPaths(conversation).find((candidate) => candidate.id === id);
  if (turn === undefined || turn.endedAt !== undefined) return conversation;
  const { next, used } = reduceTurn(turn, event);
  return changeTurn(countUsage(conversation, used, turn.model), id, () => next);
}

function reduceRunning(conversation: Conversation, turn: Turn, event: TurnEvent): Conversation {
  const { next, used } = reduceTurn(turn, event);
  const counted = countUsage(conversation, used, turn.model);
  if (next.endedAt === undefined) return { ...counted, running: next };
  return { ...counted, turns: [...counted.turns, next], running: undefined };
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

export function endInterrupted(conversation: Conversation): Conversation {
  return interruptedEnds(conversation).reduce(reduce, conversation);
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
  const { running } = conversation;
  if (running?.id === id && (moved || running.parts.length === 0)) {
    return { ...countUsage(conversation, running.unsettled, running.model), running: undefined };
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

function loseRecord(conversation: Conversation): Conversation {
  const { turns, running } = conversation;
  if (running !== undefined) return { ...conversation, running: withLoss(running) };
  const last = turns.at(-1);
  return last === undefined
    ? conversation
    : { ...conversation, turns: turns.with(-1, withLoss(last)) };
}

function withLoss(turn: Turn): Turn {
  return { ...turn, lostRecords: (turn.lostRecords ?? 0) + 1 };
}

function countUsage(
  conversation: Conversation,
  used: UnsettledUsage | undefined,
  model: string,
): Conversation {
  if (used === undefined || used.usage.requests === 0) return conversation;
  const kind = used.demo === true ? 'demoUsage' : 'usage';
  const sums = conversation[kind] ?? {};
  const usage = addUsage(sums[model] ?? zeroUsage, used.usage);
  return { ...conversation, [kind]: { ...sums, [model]: usage } };
}

/** The events that end the running turn of a terminated host; version 1.0 could have several. */
export function interruptedEnds(
  conversation: Conversation,
  error?: TurnError,
): readonly ConversationEvent[] {
  return turnsOfAllPaths(conversation)
    .filter(({ endedAt }) => endedAt === undefined)
    .map((turn) => {
      const event = interruptedEnd(turn, error);
      const isNewest = turn === conversation.running;
      return isNewest ? event : { type: 'compared-turn-event', turn: turn.id, event };
    });
}

function interruptedEnd({ parts, runningSince }: Turn, error: TurnError | undefined): TurnEnd {
  const status = parts.length === 0 ? 'failed' : 'cut';
  // The time of the interruption is unknown, and the time since then is no part of the turn's
  // duration.
  return { type: 'turn-end', status, error, at: runningSince };
}
