import type { Part, ReasoningPart, Turn, UnsettledUsage } from './conversation.ts';
import type { TurnEvent } from './events.ts';
import { reduceCalls, stopCalls } from './reduceCalls.ts';
import { addUsage, usualRatio, zeroUsage } from './usage.ts';

/** The turn after an event, and the usage that the event adds to the sums. */
export function reduceTurn(turn: Turn, event: TurnEvent) {
  const next = withEvent(turn, event);
  const used = settledUsage(turn, event);
  if (used === undefined) return { next, used };
  const { usage } = used;
  const sum = usage.requests === 0 ? next.usage : addUsage(next.usage ?? zeroUsage, usage);
  return { next: { ...next, usage: sum, unsettled: undefined }, used };
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
    case 'text-delta':
      return streaming(
        receiving(resumed(turn), event.text),
        appendText(turn, event.text, event.at),
      );
    case 'reasoning-delta':
      return streaming(receiving(turn, event.text), appendReasoning(turn, event.text, event.at));
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
