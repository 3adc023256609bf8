import type { Part, ToolCallPart } from './conversation.ts';
import type { ConversationEvent } from './events.ts';

/** Maximum number of stored characters of a call's output. The model gets the result instead. */
const maxOutputLength = 20_000;

export type ToolCallEvent = Extract<
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
export function reduceCalls(parts: readonly Part[], event: ToolCallEvent): readonly Part[] {
  if (event.type === 'tool-call-start') {
    return [...parts, { type: 'tool-call', status: 'waiting', ...event.call }];
  }
  const index = parts.findLastIndex((part) => part.type === 'tool-call' && part.id === event.id);
  const part = parts[index];
  if (part?.type !== 'tool-call' || isCallEnded(part)) return parts;
  return parts.with(index, reduceCall(part, event));
}

/** Marks all calls that have not ended as stopped, when their turn ends. */
export function stopCalls(parts: readonly Part[], at: number): readonly Part[] {
  const goesOn = (part: Part): part is ToolCallPart =>
    part.type === 'tool-call' && !isCallEnded(part);
  if (!parts.some(goesOn)) return parts;
  return parts.map((part) => (goesOn(part) ? stopCall(part, at) : part));
}

function stopCall(part: ToolCallPart, at: number): ToolCallPart {
  const ended = { question: undefined, startedAt: startOf(part, at), endedAt: at };
  return { ...part, status: 'stopped', ...ended };
}

/** Start of a call that ends. The time spent waiting for approval doesn't count. */
function startOf({ status, startedAt }: ToolCallPart, at: number): number | undefined {
  return status === 'asking' && startedAt !== undefined ? at : startedAt;
}

export function isCallEnded({ status }: ToolCallPart): boolean {
  return status !== 'waiting' && status !== 'asking' && status !== 'running';
}

function reduceCall(
  part: ToolCallPart,
  event: Exclude<ToolCallEvent, { type: 'tool-call-start' }>,
): ToolCallPart {
  switch (event.type) {
    case 'tool-call-ask':
      return { ...part, status: 'asking', question: event.question };
    case 'tool-call-run':
      return {
        ...part,
        status: 'running',
        question: undefined,
        grant: event.grant ?? part.grant,
        startedAt: startOf(part, event.at) ?? event.at,
      };
    case 'tool-call-output':
      return { ...part, output: ((part.output ?? '') + event.text).slice(-maxOutputLength) };
    case 'tool-call-result':
      return {
        ...part,
        status: event.outcome,
        question: undefined,
        result: event.result,
        ...(event.denialReason !== undefined && { denialReason: event.denialReason }),
        startedAt: startOf(part, event.at),
        endedAt: event.at,
      };
  }
}
