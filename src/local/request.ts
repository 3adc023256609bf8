/**
 * Parses the body of POST /chat/completions like a real service: the ranges and formats of section
 * 4.1 are validated, unknown fields are ignored, and `null` counts as absent.
 */
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { readImageUrl, type ImageHeader } from '../core/support/image.ts';
import { ApiError } from './httpResponse.ts';

const { localeError } = en();

const nonEmpty = z.string().check(z.minLength(1));

const text = z.union(
  [
    z.string(),
    z.pipe(
      z.array(z.looseObject({ type: z.literal('text'), text: z.string() })),
      z.transform((parts) => parts.map((part) => part.text).join('')),
    ),
  ],
  'must be a string or an array of text parts',
);

/** The only URL format that this service can load. */
const imageUrl = z
  .string()
  .check(z.refine((url) => readImageUrl(url) !== undefined, 'must be an image as a data URL'));
const userPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: imageUrl }) }),
]);
const userContent = z.union(
  [z.string(), z.array(userPart)],
  'must be a string or an array of text parts and images',
);

/** The text of a user message in one piece, and the data URLs of its images. */
const userMessage = z.pipe(
  z.looseObject({ role: z.literal('user'), content: userContent }),
  z.transform(({ content, ...fields }) => {
    const parts = typeof content === 'string' ? [] : content;
    const texts = parts.map((part) => (part.type === 'text' ? part.text : ''));
    const images = parts.flatMap((part) => (part.type === 'text' ? [] : [part.image_url.url]));
    return { ...fields, content: typeof content === 'string' ? content : texts.join(''), images };
  }),
);

const toolCall = z.looseObject({
  id: nonEmpty,
  type: z.literal('function'),
  function: z.looseObject({ name: nonEmpty, arguments: z.string() }),
});

const message = z.discriminatedUnion(
  'role',
  [
    z.looseObject({ role: z.literal('system'), content: text }),
    userMessage,
    z.looseObject({
      role: z.literal('assistant'),
      content: z.pipe(
        z.nullish(text),
        z.transform((content) => content ?? ''),
      ),
      tool_calls: z.nullish(z.array(toolCall).check(z.minLength(1))),
    }),
    z.looseObject({ role: z.literal('tool'), tool_call_id: nonEmpty, content: text }),
  ],
  'must be a message with one of the roles system, user, assistant and tool',
);
export type RequestMessage = z.infer<typeof message>;

/** The images of messages, each by its header. */
export function imagesOf(messages: readonly RequestMessage[]): readonly ImageHeader[] {
  return messages.flatMap((entry) =>
    entry.role === 'user' ? entry.images.flatMap((url) => readImageUrl(url) ?? []) : [],
  );
}

const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/)),
    description: z.nullish(z.string()),
    parameters: z.nullish(z.record(z.string(), z.unknown())),
  }),
});
export type RequestTool = z.infer<typeof tool>;

const body = z.looseObject({
  model: nonEmpty,
  messages: z.array(message).check(z.minLength(1)),
  stream: z.nullish(z.boolean()),
  max_tokens: z.nullish(z.int().check(z.minimum(1))),
  temperature: z.nullish(z.number().check(z.minimum(0), z.maximum(2))),
  top_p: z.nullish(z.number().check(z.minimum(0), z.maximum(1))),
  stop: z.pipe(
    z.nullish(z.union([nonEmpty, z.array(nonEmpty)])),
    z.transform((stop) => (typeof stop === 'string' ? [stop] : (stop ?? []))),
  ),
  tools: z.nullish(z.array(tool).check(z.minLength(1))),
  tool_choice: z.nullish(z.enum(['auto', 'required'])),
  response_format: z.nullish(
    z.looseObject({ type: z.enum(['json_object', 'text'], 'must be json_object') }),
  ),
  stream_options: z.nullish(z.looseObject({ include_usage: z.nullish(z.boolean()) })),
});
export type ParsedRequest = z.infer<typeof body>;

/** Parses a request body; throws 400 with the name of the invalid parameter. */
export function parseRequest(json: unknown): ParsedRequest {
  const parsed = body.safeParse(json, { error: localeError });
  if (parsed.success) {
    checkMessages(parsed.data.messages);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const parts = (issue?.path ?? []).map((key) =>
    typeof key === 'number' ? `[${key}]` : `.${String(key)}`,
  );
  const param = parts.join('').replace(/^\./, '');
  const what = issue?.message ?? 'is not valid';
  throw new ApiError(400, `Invalid ${param === '' ? 'request' : `'${param}'`}: ${what}`, { param });
}

/**
 * Every call must be followed directly by its tool message, no other tool messages are allowed, and
 * roles are in the order that the strictest services demand.
 */
function checkMessages(messages: readonly RequestMessage[]): void {
  let pendingIds: readonly string[] = [];
  for (const [index, entry] of messages.entries()) {
    const param = `messages[${index}]`;
    if (entry.role === 'tool') {
      if (!pendingIds.includes(entry.tool_call_id))
        throw new ApiError(400, `'${param}' doesn't match a tool call right before it.`, { param });
      pendingIds = pendingIds.filter((id) => id !== entry.tool_call_id);
      continue;
    }
    if (pendingIds.length > 0) throw unanswered(param, pendingIds);
    pendingIds = entry.role === 'assistant' ? (entry.tool_calls ?? []).map((call) => call.id) : [];
    const before = messages[index - 1]?.role ?? 'nothing';
    const isWrong = {
      system: before !== 'nothing',
      user: before === 'user' || before === 'tool',
      assistant: before === 'assistant' || before === 'system',
    }[entry.role];
    if (isWrong)
      throw new ApiError(400, `Unexpected role '${entry.role}' after role '${before}'`, { param });
  }
  if (pendingIds.length > 0) throw unanswered('messages', pendingIds);
}

function unanswered(param: string, ids: readonly string[]): ApiError {
  const message = `The tool calls ${ids.join(', ')} must be followed by tool messages.`;
  return new ApiError(400, message, { param });
}
