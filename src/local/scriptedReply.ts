import type { ParsedRequest } from './request.ts';

/** A scripted reply, before the limits of the request are applied. */
export interface ScriptedReply {
  readonly reasoning?: string;
  readonly content: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
  /** True if the safety filter ends the reply after the content. */
  readonly filtered?: boolean;
}

interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; readonly arguments: string };
  readonly extra_content?: object;
}

/** One token of a reply, as in a streaming chunk. */
export interface Delta {
  readonly reasoning_content?: string;
  readonly content?: string;
  readonly tool_calls?: readonly ToolCallDelta[];
}

/** A reply after the limits of the request were applied. */
export interface FinishedReply {
  readonly deltas: readonly Delta[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
}

/**
 * Applies `stop` and `max_tokens`: the text ends before the first stop string, and after the last
 * allowed token, which may be inside a tool call.
 */
export function finishReply(
  reply: ScriptedReply,
  limits: ParsedRequest,
  callId: (index: number) => string,
): FinishedReply {
  const ends = limits.stop.map((stop) => reply.content.indexOf(stop)).filter((at) => at >= 0);
  const content = reply.content.slice(0, Math.min(reply.content.length, ...ends));
  const isComplete = content === reply.content;
  const deltas = [
    ...splitTokens(reply.reasoning ?? '').map((text) => ({ reasoning_content: text })),
    ...splitTokens(content).map((text) => ({ content: text })),
    ...(isComplete ? callDeltas(reply, callId) : []),
  ];
  const maxTokens = limits.max_tokens ?? Infinity;
  if (deltas.length > maxTokens)
    return { deltas: deltas.slice(0, maxTokens), finishReason: 'length' };
  return { deltas, finishReason: isComplete ? reasonOf(reply) : 'stop' };
}

function reasonOf(reply: ScriptedReply): FinishedReply['finishReason'] {
  if (reply.filtered === true) return 'content_filter';
  return (reply.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop';
}

function callDeltas(reply: ScriptedReply, callId: (index: number) => string): readonly Delta[] {
  return (reply.toolCalls ?? []).flatMap((call, index) => [
    toolDelta({
      index,
      id: callId(index),
      type: 'function',
      function: { name: call.name, arguments: '' },
    }),
    ...splitTokens(call.arguments).map((part) =>
      toolDelta({ index, function: { arguments: part } }),
    ),
  ]);
}

function toolDelta(call: ToolCallDelta): Delta {
  return { tool_calls: [call] };
}

/** The message of docs/service.md 2.3 that the deltas form together. */
export function messageOf(deltas: readonly Delta[]): Readonly<Record<string, unknown>> {
  const reasoning = deltas.map((delta) => delta.reasoning_content ?? '').join('');
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
  return {
    role: 'assistant',
    content: deltas.map((delta) => delta.content ?? '').join(''),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: joinCalls(calls) }),
  };
}

function joinCalls(deltas: readonly ToolCallDelta[]): readonly object[] {
  return deltas
    .filter((delta) => delta.id !== undefined)
    .map(({ index, function: { name }, ...call }) => ({
      ...call,
      function: { name, arguments: argumentsOf(deltas, index) },
    }));
}

function argumentsOf(deltas: readonly ToolCallDelta[], index: number): string {
  return deltas
    .filter((delta) => delta.index === index)
    .map((delta) => delta.function.arguments)
    .join('');
}

/**
 * The tokenizer of this service. A token is a run of up to six letters or digits, or up to four
 * other characters, with the white space character before it, or up to eight white space
 * characters: close to four characters in English text and in code, the same on every machine, and
 * never half a character.
 */
const token = /\s?[\p{L}\p{N}_]{1,6}|\s?[^\p{L}\p{N}_\s]{1,4}|\s{1,8}/gu;

/** Splits a text into tokens; joined, they are the text. */
export function splitTokens(text: string): readonly string[] {
  return text.match(token) ?? [];
}

export function countTokens(text: string): number {
  return splitTokens(text).length;
}
