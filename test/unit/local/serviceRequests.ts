import * as z from 'zod/mini';
import { demoKey, type LocalService } from '../../../src/local/service.ts';

export const completionsUrl = 'http://localhost/v1/chat/completions';

export interface PostOptions {
  readonly key?: string | undefined;
  readonly signal?: AbortSignal;
}

/** A POST of a completion, with a default model and message. */
function completionRequest(body: object, { key = demoKey, signal }: PostOptions = {}): Request {
  return new Request(completionsUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mistral/mistral-small', messages: [user('hello')], ...body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

export function user(content: string): { role: 'user'; content: string } {
  return { role: 'user', content };
}

export async function post(
  service: LocalService,
  body: object,
  options?: PostOptions,
): Promise<Response> {
  return service.handle(completionRequest(body, options));
}

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.object({ cached_tokens: z.number() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.number() }),
});

const toolCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

const completion = z.strictObject({
  id: z.string().check(z.startsWith('chatcmpl-')),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.tuple([
    z.strictObject({
      index: z.literal(0),
      message: z.strictObject({
        role: z.literal('assistant'),
        content: z.string(),
        reasoning_content: z.optional(z.string()),
        tool_calls: z.optional(z.array(toolCall)),
      }),
      finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
    }),
  ]),
  usage: z.optional(usage),
});

export interface Outcome {
  readonly content: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason: string | undefined;
  readonly usage: z.infer<typeof usage> | undefined;
}

/** Requests a completion in one piece, and checks its fields. */
export async function complete(
  service: LocalService,
  body: object,
  options?: PostOptions,
): Promise<Outcome> {
  const json: unknown = await (await post(service, body, options)).json();
  const { choices, usage: reported } = completion.parse(json);
  const [{ message, finish_reason }] = choices;
  return {
    content: message.content,
    reasoning: message.reasoning_content ?? '',
    toolCalls: (message.tool_calls ?? []).map((call) => call.function),
    finishReason: finish_reason,
    usage: reported,
  };
}

const chunk = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.optional(z.string()),
        reasoning_content: z.optional(z.string()),
        tool_calls: z.optional(
          z.array(
            z.object({
              index: z.number(),
              function: z.object({ name: z.optional(z.string()), arguments: z.string() }),
            }),
          ),
        ),
      }),
      finish_reason: z.nullable(z.string()),
    }),
  ),
  usage: z.optional(usage),
});

/** Data of the events of a stream. */
export function eventsOf(body: string): readonly string[] {
  return body
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''));
}

/** Requests a streamed completion, and joins its chunks. */
export async function stream(
  service: LocalService,
  body: object,
  options?: PostOptions,
): Promise<Outcome & { readonly done: boolean }> {
  const response = await post(service, { ...body, stream: true }, options);
  const events = eventsOf(await response.text());
  const chunks = events
    .filter((text) => text !== '[DONE]')
    .map((text) => chunk.parse(JSON.parse(text)));
  const choices = chunks.flatMap((event) => event.choices);
  const toolCalls: { name: string; arguments: string }[] = [];
  for (const call of choices.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    const known = toolCalls[call.index] ?? { name: call.function.name ?? '', arguments: '' };
    const joined = known.arguments + call.function.arguments;
    toolCalls[call.index] = { ...known, arguments: joined };
  }
  return {
    content: choices.map(({ delta }) => delta.content ?? '').join(''),
    reasoning: choices.map(({ delta }) => delta.reasoning_content ?? '').join(''),
    toolCalls,
    finishReason:
      choices.findLast((choice) => choice.finish_reason !== null)?.finish_reason ?? undefined,
    usage: chunks.at(-1)?.usage,
    done: events.at(-1) === '[DONE]',
  };
}

const errorBody = z.strictObject({
  error: z.strictObject({
    message: z.string().check(z.minLength(1)),
    type: z.string().check(z.minLength(1)),
    param: z.nullable(z.string()),
    code: z.nullable(z.string()),
  }),
});

export async function refusal(response: Response): Promise<{
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly message: string;
}> {
  const { error } = errorBody.parse(await response.json());
  return {
    status: response.status,
    param: error.param,
    code: error.code,
    message: error.message,
  };
}

export const readFileTool = {
  type: 'function',
  function: {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, lines: { type: 'integer' } },
      required: ['path'],
    },
  },
} as const;
