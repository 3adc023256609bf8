/**
 * The JSON of the service interface, with its field names. Requests are validated strictly before
 * they are sent; replies are read leniently: unknown fields are ignored, `null` counts as absent.
 */
import * as z from 'zod/mini';
import { isObject } from '../support/json.ts';
import { readModelFacts, type ModelFacts } from './modelFacts.ts';

const nonEmpty = z.string().check(z.minLength(1));
/** Not in the interface: see `traceIn`. `requestBody` puts them into the message or the call. */
const trace = z.optional(z.record(z.string(), z.unknown()));
const functionCall = z.strictObject({ name: nonEmpty, arguments: z.string() });

/**
 * A tool call of an assistant message (docs/service.md 2.3; `id` and `type` as in the OpenAI
 * standard).
 */
const wireToolCall = z.strictObject({
  id: nonEmpty,
  type: z.literal('function'),
  function: functionCall,
  trace,
});

export type WireToolCall = z.infer<typeof wireToolCall>;

/**
 * A message of the conversation (docs/service.md 2.3), and the tool-role message of the OpenAI
 * standard.
 */
const wireMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.string(),
    /**
     * Not in the interface: images as data URLs, before the text. `requestBody` moves them into
     * `content`, as in the OpenAI standard.
     */
    images: z.optional(
      z.array(z.string().check(z.startsWith('data:image/'))).check(z.minLength(1)),
    ),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.nullable(z.string()),
    tool_calls: z.optional(z.array(wireToolCall).check(z.minLength(1))),
    trace,
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: nonEmpty, content: z.string() }),
]);
export type WireMessage = z.infer<typeof wireMessage>;

/** The names of functions that services accept, as in the OpenAI standard. */
export const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** A function that the model may call (docs/service.md 2.8). */
const toolDefinition = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().check(z.regex(toolNamePattern)),
    description: z.optional(z.string()),
    parameters: z.optional(z.record(z.string(), z.unknown())),
  }),
});

/**
 * The body of POST /chat/completions (docs/service.md 4.1), with its ranges. Absent fields are not
 * sent.
 */
export const completionRequest = z.strictObject({
  model: nonEmpty,
  messages: z.array(wireMessage).check(z.minLength(1)),
  stream: z.optional(z.boolean()),
  max_tokens: z.optional(z.int().check(z.minimum(1))),
  /** Not in the interface: replaces `max_tokens` for a model that requires this name. */
  max_completion_tokens: z.optional(z.int().check(z.minimum(1))),
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(2))),
  top_p: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  stop: z.optional(z.union([nonEmpty, z.array(nonEmpty).check(z.minLength(1))])),
  tools: z.optional(z.array(toolDefinition).check(z.minLength(1))),
  /** Not in the interface: only sent if another extension insists on a call. */
  tool_choice: z.optional(z.literal('required')),
  response_format: z.optional(z.strictObject({ type: z.literal('json_object') })),
  /** Not in the interface: only sent to an origin whose streams lack usage. */
  stream_options: z.optional(z.strictObject({ include_usage: z.boolean() })),
  /** Not in the interface: only sent if the settings of the model say so. */
  reasoning_effort: z.optional(nonEmpty),
  /**
   * Range of the messages whose traces are in the body: since the last user message, or all. Absent
   * for none. Not in the body itself.
   */
  trace: z.optional(z.enum(['turn', 'chat'])),
  /** Additional fields from the model's settings; `requestBody` merges them into the body. */
  extra_body: z.optional(z.record(z.string(), z.unknown())),
});
export type CompletionRequest = z.infer<typeof completionRequest>;

/** An entry of the model list (docs/service.md 2.5). Only `id` is required. */
const wireModel = z.looseObject({
  id: nonEmpty,
  owned_by: z.optional(z.unknown()),
});

/**
 * The model list (docs/service.md 2.6), and the variants of other services: a bare array, or the
 * field `models`.
 */
export const wireModelList = z.union([
  z.pipe(
    z.looseObject({ data: z.array(z.unknown()) }),
    z.transform((list) => list.data),
  ),
  z.pipe(
    z.looseObject({ models: z.array(z.unknown()) }),
    z.transform((list) => list.models),
  ),
  z.array(z.unknown()),
]);

export interface Model {
  readonly id: string;
  /** Provider name; the part of the id before the first `/` if the service sends none. */
  readonly ownedBy: string;
  /** Further details from the service; absent if there are none. */
  readonly facts?: ModelFacts;
}

/** False if the list says that the model is for something else than chats. */
export function canChat({ facts }: Model): boolean {
  return facts?.chat !== false;
}

/** Reads one entry of a model list; undefined if it has no usable id. */
export function readModel(entry: unknown): Model | undefined {
  // Some services list plain ids, or use `name`.
  const fields = isObject(entry) ? entry : { id: entry };
  const parsed = wireModel.safeParse({
    ...fields,
    id: fields['id'] ?? fields['name'] ?? fields['model'],
  });
  if (!parsed.success) return undefined;
  const { id, owned_by } = parsed.data;
  const facts = readModelFacts(entry);
  const slash = Math.max(0, id.indexOf('/'));
  return {
    id,
    ownedBy: typeof owned_by === 'string' ? owned_by : id.slice(0, slash),
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
  };
}
