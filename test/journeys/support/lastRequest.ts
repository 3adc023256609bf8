import * as z from 'zod/mini';
import type { Journey } from './journey.ts';

const body = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.nullable(z.string()) })),
  tools: z.optional(z.array(z.object({ function: z.object({ name: z.string() }) }))),
});

/** Last request to the service: its model, messages, names of tools, and results of calls. */
export function lastRequest({ service }: Pick<Journey, 'service'>): {
  readonly model: string;
  readonly messages: z.infer<typeof body>['messages'];
  readonly tools: readonly string[];
  readonly results: readonly string[];
} {
  const { model, messages, tools = [] } = body.parse(service.requests.at(-1)?.body);
  return {
    model,
    messages,
    tools: tools.map((tool) => tool.function.name),
    results: messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? ''),
  };
}
