import { traceIn } from './replyTrace.ts';
import type { CompletionRequest } from './wire.ts';

/** What a model's settings change in its requests, beyond the interface. */
export interface RequestExtras {
  /** Amount of thinking before the reply, in the service's terms, such as `low`. */
  readonly reasoningEffort?: string | undefined;
  /** Additional fields of the body; those of {@link isOwnField} are ignored. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  readonly maxOutput?: number | undefined;
  /** Additional headers; those of {@link isOwnHeader} are ignored. */
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Fields that determine what is sent, its cost, and how the reply is read. */
const ownFields = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'response_format',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  // Number of replies to one request.
  'n',
  'best_of',
]);

/** True if Aside writes this field of the body, so that settings must not. */
export function isOwnField(name: string): boolean {
  return ownFields.has(name);
}

const ownHeaders = new Set([
  'authorization',
  'api-key',
  'x-api-key',
  'cookie',
  'host',
  'origin',
  'referer',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  // Headers of the connection, not of the request (RFC 9110).
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/**
 * True if settings must not set a header: credentials belong to the secret storage, others to the
 * connection.
 */
export function isOwnHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return ownHeaders.has(lower) || lower.startsWith('proxy-') || lower.startsWith('sec-');
}

/** True if a header is valid: a token of RFC 9110, and printable ASCII. */
export function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && /^[ -~]{0,1000}$/.test(value);
}

/** The request with its model's additional fields; the same object if there are none. */
export function withExtras(request: CompletionRequest, extras: RequestExtras): CompletionRequest {
  const { reasoningEffort, extraBody, maxOutput = Infinity } = extras;
  const isTooLong = (request.max_tokens ?? 0) > maxOutput;
  if (reasoningEffort === undefined && extraBody === undefined && !isTooLong) return request;
  return {
    ...request,
    ...(isTooLong ? { max_tokens: maxOutput } : {}),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...(extraBody === undefined ? {} : { extra_body: extraBody }),
  };
}

/** The JSON object of a request. Its own fields precede the additional ones. */
export function requestBody(request: CompletionRequest): object {
  const { extra_body: extra, trace: range, ...fields } = request;
  const first = firstTraced(request, range);
  const messages = fields.messages.map((message, index): object => {
    if (message.role === 'assistant') {
      const isTraced = index >= first;
      const { trace = {}, tool_calls: calls, ...others } = message;
      const tool_calls = calls?.map(({ trace: ofCall = {}, ...call }) => ({
        ...call,
        ...(isTraced && traceIn(ofCall)),
      }));
      return { ...others, ...(tool_calls && { tool_calls }), ...(isTraced && traceIn(trace)) };
    }
    if (message.role !== 'user' || message.images === undefined) return message;
    // The content of a message with images is a list of parts.
    const { images, content, ...others } = message;
    const parts = images.map((url) => ({ type: 'image_url', image_url: { url } }));
    const text = content === '' ? [] : [{ type: 'text', text: content }];
    return { ...others, content: [...parts, ...text] };
  });
  const others = Object.entries(extra ?? {}).filter(
    ([name]) => !isOwnField(name) && !Object.hasOwn(fields, name),
  );
  return { ...fields, messages, ...Object.fromEntries(others) };
}

/** The index of the first message that is sent with its trace. */
function firstTraced({ messages }: CompletionRequest, range: CompletionRequest['trace']): number {
  if (range === undefined) return Infinity;
  return range === 'chat' ? 0 : messages.findLastIndex(({ role }) => role === 'user');
}

/** The number of characters (UTF-16 units) of the traces that a request with this range has. */
export function traceCharacters(
  request: CompletionRequest,
  range: CompletionRequest['trace'],
): number {
  const messages = request.messages.slice(firstTraced(request, range));
  const traces = messages.flatMap((message) =>
    message.role === 'assistant' ? [message, ...(message.tool_calls ?? [])] : [],
  );
  return traces.reduce((sum, { trace = {} }) => {
    const fields = traceIn(trace);
    // A comma takes the place of the braces.
    return fields === undefined ? sum : sum + JSON.stringify(fields).length - 1;
  }, 0);
}
