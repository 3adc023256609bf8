/** Sessions of Continue, each a file in `~/.continue/sessions`. */
import * as z from 'zod/mini';
import {
  attachedText,
  callText,
  joinTexts,
  resultText,
  type ImportedChat,
  type ImportedMessage,
} from './importedChat.ts';

const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) })),
]);
const toolCall = z.looseObject({
  function: z.looseObject({
    name: z.optional(z.string()),
    arguments: z.optional(z.string()),
  }),
});
const item = z.looseObject({
  message: z.looseObject({
    role: z.string(),
    content,
    toolCalls: z.optional(z.array(toolCall)),
  }),
  contextItems: z.optional(
    z.array(z.looseObject({ name: z.optional(z.string()), content: z.optional(z.string()) })),
  ),
});
const session = z.looseObject({
  sessionId: z.string(),
  title: z.optional(z.string()),
  history: z.array(item),
});

/** Undefined if the value is no session of Continue. */
export function importContinue(value: unknown): ImportedChat | undefined {
  const { data } = session.safeParse(value);
  return data && { title: data.title, messages: data.history.flatMap(messageOf) };
}

/** Without system messages and thoughts. */
function messageOf({
  message,
  contextItems = [],
}: z.infer<typeof item>): readonly ImportedMessage[] {
  const text = textOf(message.content);
  switch (message.role) {
    case 'user': {
      const context = contextItems.map(({ name = '', content: code = '' }) =>
        code === '' ? '' : attachedText(name, code),
      );
      return [{ role: 'user', text: joinTexts([text, ...context]) }];
    }
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ function: call }) =>
        callText(call.name ?? 'tool', call.arguments ?? ''),
      );
      return [{ role: 'assistant', text: joinTexts([text, ...calls]) }];
    }
    case 'tool':
      return [{ role: 'assistant', text: resultText(text) }];
    default:
      return [];
  }
}

function textOf(parts: z.infer<typeof content>): string {
  return typeof parts === 'string' ? parts : joinTexts(parts.map(({ text = '' }) => text));
}
