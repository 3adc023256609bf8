import {
  type Conversation,
  lastTurn,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  type Turn,
  type TurnError,
  type UnsettledUsage,
} from './conversation.ts';
import type {
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
import { addSummary, switchSummary, withoutSummariesOf } from './summaries.ts';
import { addUsage, usualRatio, zeroUsage } from './usage.ts';

/**
 * Applies an event: the only place where a conversation changes, run by the host and by the view
 * alike. Events that do not apply (a delta after the end) change nothing, so a journal with a
 * damaged line still loads.
 */
export function reduce(conversation: Conversation, event: ConversationEvent): Conversation {
  switch (event.type) {
    case 'turn-start': {
      const { after, question } = event;
      // If another turn still runs, its end was in a damaged record. Texts must not be mixed up.
      const ended = endInterrupted(conversation);
      const base = after === undefined ? ended : endPathAfter(ended, after);
      return { ...base, running: { ...newTurn(conversation, event), question } };
    }
    case 'compared-turn-start':
      return addCompared(conversation, event);
    case 'compared-turn-event': {
      const turn = turnsOfAllPaths(conversation).find(({ id }) => id === event.turn);
      if (turn === undefined || turn.endedAt !== undefined) return conversation;
      const { next, used } = reduceTurn(turn, event.event);
      return changeTurn(countUsage(conversation, used, turn.model), turn.id, () => next);
    }
    case 'turn-continue':
      return continueTurn(conversation, event);
    case 'turn-remove':
      return removeTurn(conversation, event.id, event.moved === true);
    case 'version-select': {
      if (conversation.running?.id === event.turn) return conversation;
      const ended = endInterrupted(conversation);
      const chosen = choosePath(ended, event.turn);
      return chosen === ended ? conversation : chosen;
    }
    case 'options-change':
      return { ...conversation, options: event.options };
    case 'part-choice': {
      const partChoices = changeChoices(conversation.partChoices, event.parts, event.choice);
      const isChanged = partChoices !== conversation.partChoices;
      return isChanged ? { ...conversation, partChoices } : conversation;
    }
    case 'preset-change':
      return { ...conversation, preset: event.preset };
    case 'title-change':
      return { ...conversation, title: event.title || undefined };
    case 'pin-change':
      return { ...conversation, pinned: event.pinned || undefined };
    case 'chat-shorten': {
      const { summary, usage, demo } = event;
      const shortened = addSummary(conversation, summary);
      return countUsage(shortened, usage && { usage, demo }, summary.model);
    }
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
    case 'record-loss': {
      const last = lastTurn(conversation);
      const lostRecords = (last?.lostRecords ?? 0) + 1;
      return last === undefined
        ? conversation
        : changeTurn(conversation, last.id, (turn) => ({ ...turn, lostRecords }));
    }
    default: {
      const { running } = conversation;
      if (running === undefined) return conversation;
      const { next, used } = reduceTurn(running, event);
      const counted = countUsage(conversation, used, running.model);
      if (next.endedAt === undefined) return { ...counted, running: next };
      return { ...counted, turns: [...counted.turns, next], running: undefined };
    }
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

export function endInterrupted(conversation: Conversation): Conversation {
  return interruptedEnds(conversation).reduce(reduce, conversation);
}

function continueTurn(
  conversation: Conversation,
  { at, answer }: Extract<ConversationEvent, { type: 'turn-continue' }>,
): Conversation {
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
      parts: turn.parts.map((part) =>
        part.type === 'tool-call' && part.id === answer?.call && part.result === undefined
          ? { ...part, status: 'done', result: answer.result, endedAt: at }
          : part,
      ),
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
      const status = turn.parts.length === 0 ? 'failed' : 'cut';
      // The time of the interruption is unknown, and the time since then is no part of the turn's
      // duration.
      const event: TurnEnd = { type: 'turn-end', status, error, at: turn.runningSince };
      const isNewest = turn === conversation.running;
      return isNewest ? event : { type: 'compared-turn-event', turn: turn.id, event };
    });
}

/** The turn after an event, and the usage that the event adds to the sums. */
function reduceTurn(
  turn: Turn,
  event: TurnEvent,
): { readonly next: Turn; readonly used: UnsettledUsage | undefined } {
  const next = withEvent(turn, event);
  let used: UnsettledUsage | undefined;
  if (event.type === 'usage') used = event;
  else if (event.type === 'turn-end' && turn.unsettled !== undefined) {
    // A request whose usage was never reported keeps its estimate: its prompt, and the stored text.
    const { usage, demo, received = 0 } = turn.unsettled;
    const reply = Math.ceil(received / usualRatio);
    const completion_tokens = usage.completion_tokens + reply;
    const total_tokens = usage.total_tokens + reply;
    used = { usage: { ...usage, completion_tokens, total_tokens }, demo };
  }
  if (used === undefined) return { next, used };
  const { usage } = used;
  const sum = usage.requests === 0 ? next.usage : addUsage(next.usage ?? zeroUsage, usage);
  return { next: { ...next, usage: sum, unsettled: undefined }, used };
}

function withEvent(turn: Turn, event: TurnEvent): Turn {
  switch (event.type) {
    case 'request-retry':
      return {
        ...turn,
        status: 'retrying',
        retry: event.retry,
        ...(event.toolsRefused === true && { toolsRefused: true }),
      };
    case 'request-start':
      return { ...turn, status: 'waiting', retry: undefined };
    case 'text-delta': {
      const { text, at } = event;
      const { before, last } = split(turn.parts);
      const isText = last?.type === 'text';
      const grown: Part = { type: 'text', text: isText ? last.text + text : text };
      const parts = [...endReasoning(isText ? before : turn.parts, at), grown];
      return streaming(receiving(resumed(turn), text), parts);
    }
    case 'reasoning-delta': {
      const { text, at } = event;
      const { before, last } = split(turn.parts);
      // When a text continues, reasoning is inserted before that text, which stays one part, so that
      // its code blocks and lists continue.
      const isBefore = turn.continued === true && last?.type === 'text';
      const parts = isBefore
        ? [...growReasoning(before, text, at), last]
        : growReasoning(turn.parts, text, at);
      return streaming(receiving(turn, text), parts);
    }
    case 'text-to-reasoning':
      return { ...turn, parts: reclassify(turn.parts, event) };
    case 'tool-call-start':
    case 'tool-call-ask':
    case 'tool-call-run':
    case 'tool-call-output':
    case 'tool-call-result':
      return {
        ...resumed(turn),
        status: 'calling',
        retry: undefined,
        parts: reduceCalls(
          event.type === 'tool-call-start' ? endReasoning(turn.parts, event.at) : turn.parts,
          event,
        ),
      };
    case 'tool-call-end': {
      const { outcome: status, ...call } = event.call;
      const part: Part = { type: 'tool-call', round: 1, status, ...call };
      return streaming(resumed(turn), [...turn.parts, part]);
    }
    case 'turn-message': {
      const { id, message, at } = event;
      const isThere = turn.parts.some((part) => part.type === 'message' && part.id === id);
      if (isThere) return turn;
      const added: Part = { type: 'message', id, message, at };
      return { ...resumed(turn), parts: [...endReasoning(turn.parts, at), added] };
    }
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

/**
 * Turns the end of the text into reasoning. A text that continues keeps its beginning, behind the
 * reasoning, so that it stays one part.
 */
function reclassify(
  parts: readonly Part[],
  { length, startedAt, at }: Extract<TurnEvent, { type: 'text-to-reasoning' }>,
): readonly Part[] {
  let remaining = length;
  const changed: Part[] = [];
  for (const part of parts.toReversed()) {
    const taken = part.type === 'text' ? Math.min(remaining, part.text.length) : 0;
    if (part.type !== 'text' || taken === 0) {
      changed.push(part);
      continue;
    }
    remaining -= taken;
    const beginning = part.text.slice(0, part.text.length - taken);
    const text = part.text.slice(beginning.length);
    if (beginning !== '') changed.push({ type: 'text', text: beginning });
    changed.push({ type: 'reasoning', text, startedAt, endedAt: at });
  }
  return changed.toReversed();
}

function growReasoning(parts: readonly Part[], text: string, at: number): readonly Part[] {
  const { before, last } = split(parts);
  return last?.type === 'reasoning' && last.endedAt === undefined
    ? [...before, { ...last, text: last.text + text }]
    : [...parts, { type: 'reasoning', text, startedAt: at }];
}

function endReasoning(parts: readonly Part[], at: number | undefined): readonly Part[] {
  return at !== undefined && parts.some(isOpen)
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

/** Maximum number of stored characters of a call's output. The model gets the result instead. */
const maxOutputLength = 20_000;

type ToolCallEvent = Extract<
  ConversationEvent,
  {
    type:
      | 'tool-call-start'
      | 'tool-call-ask'
      | 'tool-call-run'
      | 'tool-call-output'
      | 'tool-call-result';
  }
>;

/** The parts after the event. An event for an unknown or ended call changes nothing. */
function reduceCalls(parts: readonly Part[], event: ToolCallEvent): readonly Part[] {
  if (event.type === 'tool-call-start') {
    return [...parts, { type: 'tool-call', status: 'waiting', ...event.call }];
  }
  const index = parts.findLastIndex((part) => part.type === 'tool-call' && part.id === event.id);
  const part = parts[index];
  if (part?.type !== 'tool-call' || isCallEnded(part)) return parts;
  switch (event.type) {
    case 'tool-call-ask':
      return parts.with(index, { ...part, status: 'asking', question: event.question });
    case 'tool-call-run':
      return parts.with(index, {
        ...part,
        status: 'running',
        question: undefined,
        grant: event.grant ?? part.grant,
        startedAt: startOf(part, event.at) ?? event.at,
      });
    case 'tool-call-output': {
      const output = ((part.output ?? '') + event.text).slice(-maxOutputLength);
      return parts.with(index, { ...part, output });
    }
    case 'tool-call-result':
      return parts.with(index, {
        ...part,
        status: event.outcome,
        question: undefined,
        result: event.result,
        ...(event.denialReason !== undefined && { denialReason: event.denialReason }),
        startedAt: startOf(part, event.at),
        endedAt: event.at,
      });
  }
}

/** Marks all calls that have not ended as stopped, when their turn ends. */
function stopCalls(parts: readonly Part[], at: number): readonly Part[] {
  const goesOn = (part: Part): part is ToolCallPart =>
    part.type === 'tool-call' && !isCallEnded(part);
  if (!parts.some(goesOn)) return parts;
  return parts.map((part) =>
    goesOn(part)
      ? {
          ...part,
          status: 'stopped',
          question: undefined,
          startedAt: startOf(part, at),
          endedAt: at,
        }
      : part,
  );
}

/** Start of a call that ends. The time spent waiting for approval doesn't count. */
function startOf({ status, startedAt }: ToolCallPart, at: number): number | undefined {
  return status === 'asking' && startedAt !== undefined ? at : startedAt;
}

export function isCallEnded({ status }: ToolCallPart): boolean {
  return status !== 'waiting' && status !== 'asking' && status !== 'running';
}
