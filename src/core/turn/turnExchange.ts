import type { ToolCallPart } from '../conversation/conversation.ts';
import type { WireMessage, WireToolCall } from '../service/wire.ts';
import { isObject, parseJson } from '../support/json.ts';
import { isResultLeftOut, isResultPinned, leftOutResult } from './chosenParts.ts';
import { roundsOf } from './contextLimit.ts';
import { userMessage, type MessageFormatter } from './messagePieces.ts';
import { shortResult, type SentTurn } from './sentTurns.ts';

/** Sent as the result of a call that was started and has no result. */
const stoppedResult = 'The person stopped this before it finished.';

/**
 * The messages of a turn: the user message, then the text, the calls and their results of each
 * round, which are never separated. Reasoning, and calls that were not run, are not sent.
 *
 * @param model to which they are sent: only its own rounds have their traces
 */
export function exchangeOf(
  { turn, hasShortResults }: SentTurn,
  formatter: MessageFormatter,
  model?: string,
): WireMessage[] {
  const { choices } = formatter;
  const messages: WireMessage[] = [userMessage(formatter.piecesOf(turn.question))];
  for (const { text, calls } of roundsOf(turn)) {
    const content = text === '' && calls.length > 0 ? null : text;
    const isTraced = turn.model === model;
    const tool_calls = calls.map((call) => wireCall(call, isTraced));
    const trace = isTraced && calls.find((call) => call.trace?.message)?.trace?.message;
    messages.push(
      {
        role: 'assistant',
        content,
        ...(calls.length === 0 ? {} : { tool_calls }),
        ...(trace && { trace: { ...trace } }),
      },
      ...calls.map((call): WireMessage => {
        const content = isResultLeftOut(turn.id, call, choices)
          ? leftOutResult
          : resultOf(call, hasShortResults && !isResultPinned(turn.id, call, choices));
        return { role: 'tool', tool_call_id: call.id, content };
      }),
    );
  }
  return messages;
}

function wireCall(
  { id, name, arguments: json, trace }: ToolCallPart,
  isTraced: boolean,
): WireToolCall {
  // Some services refuse calls with invalid JSON when they are sent back.
  const text = isObject(parseJson(json)) ? json : '{}';
  const called = { name: wireName(name), arguments: text };
  return {
    id,
    type: 'function',
    function: called,
    ...(isTraced && trace?.call && { trace: { ...trace.call } }),
  };
}

/**
 * Makes a tool name valid: each later request includes the call, and services refuse invalid names.
 */
function wireName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown';
}

function resultOf({ name, result = stoppedResult }: ToolCallPart, isShort: boolean): string {
  return isShort ? shortResult(wireName(name), result) : result;
}
