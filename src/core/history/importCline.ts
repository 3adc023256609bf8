/**
 * Tasks of Cline and Roo Code. A task is a folder: `api_conversation_history.json` contains the
 * messages sent to the model and its replies, `ui_messages.json` the visible messages.
 */
import * as z from 'zod/mini';
import {
  callText,
  joinTexts,
  resultText,
  type ImportedChat,
  type ImportedMessage,
} from './importedChat.ts';

const textBlock = z.looseObject({ type: z.string(), text: z.optional(z.string()) });
const block = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
  name: z.optional(z.string()),
  input: z.optional(z.unknown()),
  content: z.optional(z.union([z.string(), z.array(textBlock)])),
});
const sentMessage = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(block)]),
  ts: z.optional(z.number()),
});
const history = z.array(sentMessage).check(z.minLength(1));

/** `api_conversation_history.json`; undefined if the value has another form. */
export function importClineHistory(value: unknown): ImportedChat | undefined {
  const { data } = history.safeParse(value);
  return data && { messages: data.flatMap(messagesOf) };
}

/** A person's message may begin with tool results, which belong to the reply before it. */
function messagesOf({ role, content, ts: at }: z.infer<typeof sentMessage>): ImportedMessage[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (role === 'assistant') return [{ role, at, text: joinTexts(blocks.map(replyText)) }];
  const results = blocks.filter(({ type }) => type === 'tool_result').map(replyText);
  const texts = blocks.map(({ type, text = '' }) => (type === 'text' ? ownWords(text) : ''));
  return [
    { role: 'assistant', at, text: joinTexts(results) },
    { role: 'user', at, text: joinTexts(texts) },
  ];
}

function replyText({ type, text = '', name = 'tool', input, content }: z.infer<typeof block>) {
  switch (type) {
    case 'text':
      return text;
    case 'tool_use':
      return callText(name, input ?? {});
    case 'tool_result':
      return resultText(
        typeof content === 'string'
          ? content
          : joinTexts((content ?? []).map(({ text: result = '' }) => result)),
      );
    default:
      return '';
  }
}

/** The person's text, without what the extension adds to each message. */
function ownWords(text: string): string {
  return text
    .replace(/<environment_details>[^]*?(?:<\/environment_details>|$)/g, '')
    .replace(/<\/?(?:task|feedback|user_message|answer)>/g, '')
    .trim();
}

const uiMessage = z.looseObject({
  ts: z.optional(z.number()),
  type: z.enum(['say', 'ask']),
  say: z.optional(z.string()),
  ask: z.optional(z.string()),
  text: z.optional(z.string()),
  partial: z.optional(z.boolean()),
});
const uiMessages = z.array(uiMessage).check(z.minLength(1));

/**
 * `ui_messages.json`, used if the other file is missing or damaged; undefined if the value has
 * another form.
 */
export function importClineMessages(value: unknown): ImportedChat | undefined {
  const { data } = uiMessages.safeParse(value);
  return data && { messages: data.flatMap(seenMessage) };
}

function seenMessage(
  { ts: at, say, ask, text = '' }: z.infer<typeof uiMessage>,
  index: number,
): readonly ImportedMessage[] {
  const kind = say ?? ask ?? '';
  // The first message is the task.
  if (kind === 'task' || kind === 'user_feedback' || (kind === 'text' && index === 0))
    return [{ role: 'user', at, text }];
  switch (kind) {
    case 'text':
    case 'completion_result':
    case 'followup':
      return [{ role: 'assistant', at, text }];
    case 'tool':
    case 'command':
    case 'use_mcp_server':
      return [{ role: 'assistant', at, text: callText(kind, text) }];
    case 'command_output':
      return [{ role: 'assistant', at, text: resultText(text) }];
    default:
      return [];
  }
}
