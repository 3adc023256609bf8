/**
 * How a conversation is written to a journal: a line of JSON for its beginning, then one for each
 * event. A line that does not parse is left out, so one damaged record costs no more than itself.
 */
import * as z from 'zod';
import { parseJson } from '../support/json.ts';
import { emptyConversation, type Conversation } from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { reduce } from './reduce.ts';

/** The version of the records that this code writes. */
const version = 1;

const options = z.object({
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxTokens: z.number().optional(),
  stop: z.array(z.string()).optional(),
  json: z.boolean().optional(),
});

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  cached_tokens: z.number(),
  requests: z.number(),
  estimated: z.boolean(),
});

const attachment = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  language: z.string(),
  range: z.object({ start: z.number(), end: z.number() }).optional(),
  text: z.string(),
});

const error = z.object({
  kind: z.string(),
  message: z.string(),
  remedy: z
    .enum(['set-api-key', 'select-model', 'open-console', 'try-again', 'connect'])
    .optional(),
});

const retry = z.object({
  attempt: z.number(),
  attempts: z.number(),
  resumeAt: z.number(),
  error,
});

const call = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  outcome: z.enum(['done', 'failed', 'denied', 'stopped']),
});

const eventRecord: z.ZodType<ConversationEvent> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('turn-start'),
    id: z.string(),
    question: z.object({ text: z.string(), attachments: z.array(attachment) }),
    model: z.string(),
    json: z.boolean(),
    at: z.number(),
  }),
  z.object({ type: z.literal('turn-continue'), at: z.number() }),
  z.object({ type: z.literal('turn-remove'), id: z.string() }),
  z.object({ type: z.literal('options-change'), options }),
  z.object({ type: z.literal('request-retry'), retry }),
  z.object({ type: z.literal('request-start') }),
  z.object({ type: z.literal('text-delta'), text: z.string(), at: z.number() }),
  z.object({ type: z.literal('reasoning-delta'), text: z.string(), at: z.number() }),
  z.object({ type: z.literal('tool-call-end'), call }),
  z.object({ type: z.literal('usage'), usage }),
  z.object({
    type: z.literal('turn-end'),
    status: z.enum(['finished', 'stopped', 'cut', 'failed']),
    finishReason: z.string().optional(),
    malformedEvents: z.number().optional(),
    error: error.optional(),
    at: z.number(),
  }),
]);

const eventLine = z.object({ number: z.number().int().min(1), event: eventRecord });

const firstRecord = z.object({
  version: z.literal(version),
  conversation: z.string().min(1),
  /** The workspace that the conversation was begun in; empty without one. */
  workspace: z.string(),
  at: z.number(),
});
export type FirstRecord = Omit<z.infer<typeof firstRecord>, 'version'>;

/** The line that begins a journal. */
export function writeFirst(record: FirstRecord): string {
  return `${JSON.stringify({ version, ...record })}\n`;
}

/** The line of one event. `number` counts the events of the journal from 1. */
export function writeEvent(event: ConversationEvent, number: number): string {
  return `${JSON.stringify({ number, event })}\n`;
}

/** What a journal holds. */
export interface JournalContent {
  readonly first: FirstRecord | undefined;
  /** As the events left it; a turn that was running still is. */
  readonly conversation: Conversation;
  /** The number of the last event. */
  readonly records: number;
  /** Lines that could not be read and were left out. */
  readonly damaged: number;
}

/**
 * Reads the lines of a journal back. A number that was there already is a line written again after
 * a write of which nobody knew how far it came.
 */
export function readJournal(id: string, text: string): JournalContent {
  let conversation = emptyConversation(id);
  let first: FirstRecord | undefined;
  let records = 0;
  let damaged = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = parseJson(line);
    const record = eventLine.safeParse(value);
    if (!record.success) {
      const start = firstRecord.safeParse(value);
      if (start.success) first ??= start.data;
      else damaged += 1;
    } else if (record.data.number > records) {
      records = record.data.number;
      conversation = reduce(conversation, record.data.event);
    }
  }
  return { first, conversation, records, damaged };
}
