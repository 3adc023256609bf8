import type { Clock } from '../core/support/clock.ts';
import { requestCost, type Account, type ApiKey } from './account.ts';
import { interrupt, interruptWhole, type ReplyFault } from './faults.ts';
import { ApiError, type HttpResponse, type BodyStep } from './httpResponse.ts';
import type { LocalModel, TraceRule } from './models.ts';
import { imageTokens } from '../core/support/image.ts';
import { replyTo, type StarterOf } from './replies.ts';
import { imagesOf, type ParsedRequest, type RequestMessage } from './request.ts';

/** Maximum duration of a reply in one piece, in milliseconds. */
const maxWait = 3000;

const maxPrompts = 16;

/**
 * Time of the usage report. `always`: unless `stream_options` disables it. `onRequest`: in a stream
 * only if `stream_options` requests it. `refuseOption`: not in a stream, and `stream_options` causes
 * a 400.
 */
export type UsageReport = 'always' | 'onRequest' | 'refuseOption';

/** Returns a reply to a request; undefined leaves it to the model. */
export type Script = (request: ParsedRequest) => ScriptedReply | undefined;

interface CompletionSettings {
  readonly clock: Clock;
  readonly models: readonly LocalModel[];
  readonly usage: UsageReport;
  /** Milliseconds per token of a reply. */
  readonly pace: number;
  readonly script: Script;
  readonly starterOf: StarterOf;
}

/**
 * POST /chat/completions: validates a request, counts its tokens, replies and charges the account.
 */
export class CompletionsEndpoint {
  readonly #account: Account;
  readonly #settings: CompletionSettings;
  readonly #cache = new PromptCache();
  #served = 0;
  #calls = 0;

  constructor(account: Account, settings: CompletionSettings) {
    this.#account = account;
    this.#settings = settings;
  }

  handle(request: ParsedRequest, key: ApiKey, fault: ReplyFault | undefined): HttpResponse {
    const model = this.#settings.models.find(({ id }) => id === request.model);
    if (model === undefined || key.models?.includes(model.id) === false) {
      const problem = `The model '${request.model}' does not exist, or this key doesn't have access to it.`;
      throw new ApiError(404, problem, { param: 'model', code: 'model_not_found' });
    }
    checkAbilities(model, request, this.#settings.usage);
    checkTraces(request.messages, model.trace);
    const prompt = countPrompt(request);
    const promptTokens = prompt.reduce((sum, { tokens }) => sum + tokens, 0);
    if (promptTokens > model.contextWindow) {
      const message = `The messages have ${promptTokens} tokens; '${model.id}' accepts up to ${model.contextWindow}.`;
      throw new ApiError(400, message, { param: 'messages', code: 'context_length_exceeded' });
    }
    const consumption = { prompt: promptTokens, cached: 0, completion: 0 };
    this.#account.admit(requestCost(model.price, consumption));
    const cached = this.#cache.use(`${key.key} ${model.id}`, prompt);
    const scripted =
      fault?.kind === 'empty'
        ? { content: '' }
        : (this.#settings.script(request) ?? replyTo(request, model, this.#settings.starterOf));
    const finished = finishReply(scripted, request, () => {
      this.#calls += 1;
      return `call_${String(this.#calls).padStart(6, '0')}`;
    });
    const reply =
      model.trace === 'signature' ? { ...finished, deltas: signed(finished.deltas) } : finished;
    const ended = (completion: number): void =>
      this.#account.charge(model.price, { prompt: promptTokens, cached, completion });
    const { usage: reports } = this.#settings;
    const requested = request.stream_options?.include_usage;
    const isReported =
      reports === 'always'
        ? requested !== false
        : request.stream !== true || (reports === 'onRequest' && requested === true);
    const usage =
      isReported && fault?.kind !== 'no-usage' ? usageOf(reply, promptTokens, cached) : undefined;
    const pace = fault?.kind === 'slow' ? fault.pace : this.#settings.pace;
    this.#served += 1;
    const envelope = {
      id: `chatcmpl-local${String(this.#served).padStart(6, '0')}`,
      created: Math.floor(this.#settings.clock.wall() / 1000),
      model: request.model,
    };
    if (request.stream === true) {
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
      const steps = streamSteps(envelope, reply, usage, fault);
      return { status: 200, headers, pace, steps, ended };
    }
    const message = messageOf(reply.deltas);
    const choices = [{ index: 0, message, finish_reason: reply.finishReason }];
    const body = { ...envelope, object: 'chat.completion', choices, usage };
    const text = JSON.stringify(body);
    const steps = interruptWhole({ text, tokens: reply.deltas.length }, fault);
    const tokens = Math.max(1, reply.deltas.length);
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, pace: Math.min(pace, maxWait / tokens), steps, ended };
  }
}

function checkAbilities(model: LocalModel, request: ParsedRequest, usage: UsageReport): void {
  if (!model.tools && request.tools)
    throw new ApiError(400, `The model '${model.id}' does not support tools.`, { param: 'tools' });
  if (!model.images && imagesOf(request.messages).length > 0)
    throw new ApiError(400, `The model '${model.id}' does not support images.`, {
      param: 'messages',
    });
  if (!model.json && request.response_format?.type === 'json_object')
    throw new ApiError(400, `The model '${model.id}' does not support response_format.`, {
      param: 'response_format',
    });
  const { efforts } = model;
  const effort = request['reasoning_effort'];
  if (effort !== undefined && efforts?.some((level) => level === effort) === false) {
    const message =
      efforts.length === 0
        ? "Unsupported parameter: 'reasoning_effort' is not supported with this model."
        : `Invalid value: ${JSON.stringify(effort)}. Supported values are: ${efforts.join(', ')}.`;
    throw new ApiError(400, message, { param: 'reasoning_effort' });
  }
  if (usage === 'refuseOption' && request.stream_options)
    throw new ApiError(400, 'Unknown parameter: stream_options.', { param: 'stream_options' });
}

/**
 * The messages of the prompt with their tokens, plus four for each. Tools are counted first, images
 * by their size.
 */
function countPrompt(request: ParsedRequest): readonly CountedMessage[] {
  const tools = JSON.stringify(request.tools ?? []);
  return [
    { json: tools, tokens: request.tools ? countTokens(tools) : 0 },
    ...request.messages.map((message) => {
      const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
      const called = calls.map((call) => call.function.name + call.function.arguments);
      const text = [message.content, ...called].join('');
      const tokens = imagesOf([message]).reduce(
        (sum, image) => sum + imageTokens(image),
        4 + countTokens(text),
      );
      return { json: JSON.stringify(message), tokens };
    }),
  ];
}

/** The usage of docs/service.md 2.4, with the details of the OpenAI standard. */
function usageOf({ deltas }: FinishedReply, prompt: number, cached: number): object {
  const reasoning = deltas.filter((delta) => delta.reasoning_content !== undefined).length;
  return {
    prompt_tokens: prompt,
    completion_tokens: deltas.length,
    total_tokens: prompt + deltas.length,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** A message of a prompt, as compared by the cache. */
interface CountedMessage {
  readonly json: string;
  readonly tokens: number;
}

/**
 * Caches the last prompts per owner (a key with a model) and finds how much of a new prompt is a
 * prefix of an earlier one. Compares whole messages, since clients append whole messages to the
 * history.
 */
class PromptCache {
  readonly #prompts = new Map<string, readonly (readonly CountedMessage[])[]>();

  /**
   * Returns the number of cached tokens at the start of the prompt, and adds the prompt to the
   * cache.
   */
  use(owner: string, prompt: readonly CountedMessage[]): number {
    const earlier = this.#prompts.get(owner) ?? [];
    this.#prompts.set(owner, [...earlier.slice(1 - maxPrompts), prompt]);
    const lengths = earlier.map((cached) => {
      const end = prompt.findIndex(({ json }, index) => cached[index]?.json !== json);
      const common = end < 0 ? prompt : prompt.slice(0, end);
      return common.reduce((sum, { tokens }) => sum + tokens, 0);
    });
    return Math.max(0, ...lengths);
  }
}

/** The fields that every object of one reply starts with (docs/service.md 2.1 and 2.7). */
interface Envelope {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  readonly model: string;
}

/**
 * The reply as Server-Sent Events (docs/service.md 4.1, rule 2): role, text, finish reason, usage
 * if it is reported, and `[DONE]`. Each token is a separate chunk.
 */
function streamSteps(
  envelope: Envelope,
  reply: FinishedReply,
  usage: unknown,
  fault: ReplyFault | undefined,
): readonly BodyStep[] {
  const event = (choices: readonly object[], more: object, tokens: number): BodyStep => ({
    text: `data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    tokens,
  });
  const choice = (delta: object, finish: string | null, tokens: number): BodyStep =>
    event([{ index: 0, delta, finish_reason: finish }], {}, tokens);
  return interrupt(
    {
      opening: [choice({ role: 'assistant', content: '' }, null, 0)],
      deltas: reply.deltas,
      closing: [
        choice({}, reply.finishReason, 0),
        ...(usage === undefined ? [] : [event([], { usage }, 0)]),
        { text: 'data: [DONE]\n\n', tokens: 0 },
      ],
      chunk: (delta: Delta) => choice(delta, null, 1),
    },
    fault,
  );
}

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
interface FinishedReply {
  readonly deltas: readonly Delta[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
}

/**
 * Applies `stop` and `max_tokens`: the text ends before the first stop string, and after the last
 * allowed token, which may be inside a tool call.
 */
function finishReply(
  reply: ScriptedReply,
  limits: ParsedRequest,
  callId: () => string,
): FinishedReply {
  const ends = limits.stop.map((stop) => reply.content.indexOf(stop)).filter((at) => at >= 0);
  const content = reply.content.slice(0, Math.min(reply.content.length, ...ends));
  const isComplete = content === reply.content;
  const calls = reply.toolCalls ?? [];
  const deltas = [
    ...splitTokens(reply.reasoning ?? '').map((text) => ({ reasoning_content: text })),
    ...splitTokens(content).map((text) => ({ content: text })),
    ...(isComplete ? calls : []).flatMap(({ name, arguments: json }, index) => {
      const id = callId();
      const first = { index, id, type: 'function', function: { name, arguments: '' } } as const;
      const parts = splitTokens(json).map((part) => ({ index, function: { arguments: part } }));
      return [first, ...parts].map((call) => ({ tool_calls: [call] }));
    }),
  ];
  const maxTokens = limits.max_tokens ?? Infinity;
  if (deltas.length > maxTokens)
    return { deltas: deltas.slice(0, maxTokens), finishReason: 'length' };
  if (!isComplete) return { deltas, finishReason: 'stop' };
  if (reply.filtered === true) return { deltas, finishReason: 'content_filter' };
  return { deltas, finishReason: calls.length > 0 ? 'tool_calls' : 'stop' };
}

/** The message of docs/service.md 2.3 that the deltas form together. */
function messageOf(deltas: readonly Delta[]): Readonly<Record<string, unknown>> {
  const reasoning = deltas.map((delta) => delta.reasoning_content ?? '').join('');
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
  const tool_calls = calls
    .filter(({ id }) => id !== undefined)
    .map(({ index, function: { name }, ...call }) => {
      const parts = calls.filter((part) => part.index === index);
      const json = parts.map((part) => part.function.arguments).join('');
      return { ...call, function: { name, arguments: json } };
    });
  return {
    role: 'assistant',
    content: deltas.map((delta) => delta.content ?? '').join(''),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls }),
  };
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

/** Refuses messages that break the rule of their model, as services do. */
function checkTraces(messages: readonly RequestMessage[], rule: TraceRule): void {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const { tool_calls: calls, reasoning_content: reasoning } = message;
    const [first] = calls ?? [];
    const isInTurn = index > start;
    if (rule === 'refused' && (reasoning !== undefined || first?.['extra_content'] !== undefined))
      throw new ApiError(400, `Unknown parameter: 'messages[${index}].reasoning_content'.`);
    if (first === undefined) continue;
    if (
      (rule === 'chat' || (rule === 'turn' && isInTurn)) &&
      (typeof reasoning !== 'string' || reasoning === '')
    )
      throw new ApiError(
        400,
        'The `reasoning_content` in the thinking mode must be passed back to the API.',
      );
    if (
      rule === 'signature' &&
      isInTurn &&
      JSON.stringify(first['extra_content']) !== JSON.stringify(signatureOf(first.id))
    )
      throw new ApiError(
        400,
        'Function call is missing a thought_signature in functionCall parts.',
      );
  }
}

/** The deltas of a reply, whose first call is signed. */
function signed(deltas: readonly Delta[]): readonly Delta[] {
  const index = deltas.findIndex(({ tool_calls: calls }) => calls?.[0]?.id !== undefined);
  const call = deltas[index]?.tool_calls?.[0];
  if (call?.id === undefined) return deltas;
  return deltas.with(index, { tool_calls: [{ ...call, extra_content: signatureOf(call.id) }] });
}

function signatureOf(id: string): { readonly google: { readonly thought_signature: string } } {
  return { google: { thought_signature: btoa(`${id}/\u{ff}+?`) } };
}
