/**
 * The JSON of the service, by its own field names. Requests are checked strictly before they are
 * sent; replies are read leniently: unknown fields pass, `null` counts as absent.
 */
import * as z from 'zod';

const functionCall = z.strictObject({ name: z.string().min(1), arguments: z.string() });

/** A tool call inside an assistant message (section 2.3; `id` and `type` as in the OpenAI standard). */
const wireToolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: functionCall,
});

/** A message of the conversation (section 2.3), and the tool-role message of the OpenAI standard. */
const wireMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(wireToolCall).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: z.string() }),
]);
export type WireMessage = z.infer<typeof wireMessage>;

/** A function that the model may call (section 2.8). */
const toolDefinition = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** The body of POST /chat/completions (section 4.1), with its ranges. What is absent is not sent. */
export const completionRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(wireMessage).min(1),
  stream: z.boolean().optional(),
  max_tokens: z.number().int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  tools: z.array(toolDefinition).min(1).optional(),
  response_format: z.strictObject({ type: z.literal('json_object') }).optional(),
  /** Not in the interface: only sent to an origin whose streams come without usage. */
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
});
export type CompletionRequest = z.infer<typeof completionRequest>;

/** An entry of the model list (section 2.5). Only `id` is needed to use it. */
const wireModel = z.looseObject({
  id: z.string().min(1),
  created: z.number().nullish().catch(undefined),
  owned_by: z.string().nullish().catch(undefined),
});

/**
 * The model list (section 2.6), with what other services of this standard make of it: a bare
 * array, or the field `models`.
 */
export const wireModelList = z.union([
  z.looseObject({ data: z.array(z.unknown()) }).transform((list) => list.data),
  z.looseObject({ models: z.array(z.unknown()) }).transform((list) => list.models),
  z.array(z.unknown()),
]);

/** A model that the calling key may use. */
export interface Model {
  readonly id: string;
  /** Provider name; the part of the id before the first `/` where the service names none. */
  readonly ownedBy: string;
  /** Seconds since the Unix epoch. */
  readonly created?: number | undefined;
}

/** Reads one entry of a model list; undefined where it has no usable id. */
export function readModel(entry: unknown): Model | undefined {
  const parsed = wireModel.safeParse(entry);
  if (!parsed.success) return undefined;
  const { id, owned_by, created } = parsed.data;
  return { id, ownedBy: owned_by ?? ownerIn(id), created: created ?? undefined };
}

function ownerIn(id: string): string {
  const slash = id.indexOf('/');
  return slash > 0 ? id.slice(0, slash) : '';
}
