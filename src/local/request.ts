/**
 * Reads the body of POST /chat/completions as a service does: ranges and shapes of section 4.1 are
 * checked, fields that it does not know pass, and `null` counts as absent.
 */
import * as z from 'zod';
import { Refusal } from './refusal.ts';

const text = z.union(
  [
    z.string(),
    z
      .array(z.looseObject({ type: z.literal('text'), text: z.string() }))
      .transform((parts) => parts.map((part) => part.text).join('')),
  ],
  'must be a string or an array of text parts',
);

const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

const message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.literal('system'), content: text }),
    z.looseObject({ role: z.literal('user'), content: text }),
    z.looseObject({
      role: z.literal('assistant'),
      content: text.nullish().transform((content) => content ?? ''),
      tool_calls: z.array(toolCall).min(1).nullish(),
    }),
    z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content: text }),
  ],
  'must be a message with one of the roles system, user, assistant and tool',
);
export type RequestMessage = z.infer<typeof message>;

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});
export type RequestTool = z.infer<typeof tool>;

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ function: z.looseObject({ name: z.string() }) }),
]);

const body = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z
    .union([z.string().min(1), z.array(z.string().min(1))])
    .nullish()
    .transform((stop) => (typeof stop === 'string' ? [stop] : (stop ?? []))),
  tools: z.array(tool).min(1).nullish(),
  tool_choice: toolChoice.nullish(),
  response_format: z
    .looseObject({ type: z.enum(['json_object', 'text'], 'must be json_object') })
    .nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
export type ParsedRequest = z.infer<typeof body>;

/** The body as a request; throws 400 with the parameter that is to blame. */
export function parseRequest(json: unknown): ParsedRequest {
  const parsed = body.safeParse(json);
  if (parsed.success) {
    checkToolMessages(parsed.data.messages);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const param = pathOf(issue?.path ?? []);
  const what = issue?.message ?? 'is not valid';
  throw new Refusal(400, `Invalid ${param === '' ? 'request' : `'${param}'`}: ${what}`, { param });
}

function pathOf(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return parts.join('').replace(/^\./, '');
}

/** Every call is answered by a tool message right after it, and nothing else is answered. */
function checkToolMessages(messages: readonly RequestMessage[]): void {
  let open: readonly string[] = [];
  for (const [index, one] of messages.entries()) {
    const param = `messages[${index}]`;
    if (one.role === 'tool') {
      if (!open.includes(one.tool_call_id))
        throw new Refusal(400, `'${param}' answers no tool call right before it.`, { param });
      open = open.filter((id) => id !== one.tool_call_id);
      continue;
    }
    if (open.length > 0) throw unanswered(param, open);
    open = one.role === 'assistant' ? (one.tool_calls ?? []).map((call) => call.id) : [];
  }
  if (open.length > 0) throw unanswered('messages', open);
}

function unanswered(param: string, ids: readonly string[]): Refusal {
  const message = `The tool calls ${ids.join(', ')} must be followed by tool messages.`;
  return new Refusal(400, message, { param });
}
