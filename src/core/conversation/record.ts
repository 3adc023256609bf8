/**
 * The journal format of a conversation: a header line of JSON, then one line for each event. Lines
 * that do not parse are skipped, so one damaged record costs no more than itself.
 */
import * as z from 'zod/mini';
import { parseJson } from '../support/json.ts';
import { emptyConversation, type Conversation } from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { Replay } from './replay.ts';
import { reduceWindow, type ConversationWindow } from './window.ts';

/** The version of the journal format that this code writes. */
const version = 1;

const options = z.object({
  temperature: z.optional(z.number()),
  topP: z.optional(z.number()),
  maxTokens: z.optional(z.number()),
  stop: z.optional(z.array(z.string())),
  json: z.optional(z.boolean()),
});

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  cached_tokens: z.number(),
  requests: z.number(),
  estimated: z.boolean(),
});

/**
 * Schema of an enum whose unknown values, written by a later version, map to a default, so that the
 * rest of the record still loads.
 */
const known = <T extends string, Otherwise extends T | undefined>(
  words: readonly T[],
  otherwise: Otherwise,
) =>
  z.pipe(
    z.string(),
    z.transform((word) => words.find((one) => one === word) ?? otherwise),
  );

const attachmentKind = known(
  ['file', 'folder', 'symbol', 'selection', 'problems', 'changes', 'terminal'],
  'file',
);

const attachment = z.object({
  id: z.string(),
  kind: z.optional(attachmentKind),
  name: z.string(),
  path: z.string(),
  language: z.string(),
  range: z.optional(z.object({ start: z.number(), end: z.number() })),
  text: z.string(),
});

const error = z.object({
  kind: z.string(),
  message: z.string(),
  /** An unknown remedy is dropped, since its button would do nothing. */
  remedy: z.optional(
    known(
      [
        'set-api-key',
        'select-model',
        'open-console',
        'try-again',
        'connect',
        'raise-budget',
        'raise-chat-budget',
        'without-tools',
      ],
      undefined,
    ),
  ),
});

const retry = z.object({
  attempt: z.number(),
  attempts: z.number(),
  resumeAt: z.number(),
  error,
});

const outcome = known(['done', 'failed', 'denied', 'stopped'], 'failed');

const callSummary = z.object({
  many: z.string(),
  distinct: z.optional(z.object({ argument: z.string(), one: z.string() })),
});

const call = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  icon: z.optional(z.string()),
  summary: z.optional(callSummary),
});

const changedFile = z.object({
  path: z.string(),
  kind: known(['edit', 'create'], 'edit'),
  addedLines: z.number(),
  removedLines: z.number(),
});

const approvalRequest = z.object({
  by: known(['panel', 'dialog'], 'dialog'),
  forChat: z.boolean(),
  files: z.array(changedFile),
});

const fileChange = z.extend(changedFile, {
  id: z.string(),
  status: known(['changed', 'kept', 'undone'], 'kept'),
});

const pause = z.object({
  reason: known(['rounds', 'repeat'], 'rounds'),
  tool: z.optional(z.string()),
});

const eventRecord: z.ZodMiniType<ConversationEvent> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('turn-start'),
    id: z.string(),
    question: z.object({ text: z.string(), attachments: z.array(attachment) }),
    model: z.string(),
    json: z.boolean(),
    withoutTools: z.optional(z.boolean()),
    firstSent: z.optional(z.string()),
    at: z.number(),
  }),
  z.object({ type: z.literal('turn-continue'), at: z.number() }),
  z.object({ type: z.literal('turn-remove'), id: z.string() }),
  z.object({ type: z.literal('options-change'), options }),
  z.object({ type: z.literal('request-retry'), retry }),
  z.object({ type: z.literal('request-start') }),
  z.object({ type: z.literal('request-sent'), usage, demo: z.optional(z.boolean()) }),
  z.object({ type: z.literal('text-delta'), text: z.string(), at: z.number() }),
  z.object({ type: z.literal('reasoning-delta'), text: z.string(), at: z.number() }),
  z.object({
    type: z.literal('tool-call-start'),
    call: z.extend(call, { round: z.number(), title: z.optional(z.string()) }),
  }),
  z.object({ type: z.literal('tool-call-ask'), id: z.string(), question: approvalRequest }),
  z.object({
    type: z.literal('tool-call-run'),
    id: z.string(),
    grant: z.optional(z.string()),
    at: z.number(),
  }),
  z.object({ type: z.literal('tool-call-output'), id: z.string(), text: z.string() }),
  z.object({
    type: z.literal('tool-call-result'),
    id: z.string(),
    outcome,
    result: z.string(),
    at: z.number(),
  }),
  z.object({ type: z.literal('tool-call-end'), call: z.extend(call, { outcome }) }),
  z.object({ type: z.literal('files-change'), turn: z.string(), changes: z.array(fileChange) }),
  z.object({ type: z.literal('turn-pause'), pause }),
  z.object({ type: z.literal('turn-resume') }),
  z.object({ type: z.literal('usage'), usage, demo: z.optional(z.boolean()) }),
  z.object({
    type: z.literal('turn-end'),
    status: known(['finished', 'stopped', 'cut', 'failed'], 'cut'),
    finishReason: z.optional(z.string()),
    malformedEvents: z.optional(z.number()),
    error: z.optional(error),
    at: z.number(),
  }),
]);

const eventLine = z.object({ number: z.int().check(z.minimum(1)), event: eventRecord });

const journalHeader = z.object({
  version: z.literal(version),
  conversation: z.string().check(z.minLength(1)),
  /** The workspace in which the conversation was started; empty without one. */
  workspace: z.string(),
  at: z.number(),
});
/** The first line of a journal. */
export type JournalHeader = Omit<z.infer<typeof journalHeader>, 'version'>;

const newerHeader = z.object({ version: z.number().check(z.minimum(version + 1)) });

/**
 * Whether a later version created the journal: this version may read it, but must not write to it.
 */
export function isNewerVersion(text: string): boolean {
  return newerHeader.safeParse(parseJson(text.slice(0, text.indexOf('\n')))).success;
}

/** The header line of a journal. */
export function writeHeader(record: JournalHeader): string {
  return `${JSON.stringify({ version, ...record })}\n`;
}

/** The line of one event. `number` counts the events of the journal from 1. */
export function writeEvent(event: ConversationEvent, number: number): string {
  return `${JSON.stringify({ number, event })}\n`;
}

/** The content of a journal. */
export interface JournalContent {
  readonly header: JournalHeader | undefined;
  /** The conversation after all events; a turn that was running still is. */
  readonly conversation: Conversation;
  /** The highest event number. */
  readonly records: number;
  /** Number of lines that could not be parsed and were skipped. */
  readonly damaged: number;
}

/**
 * Reads a journal line by line, in any number of chunks. Repeated lines are skipped: after a failed
 * write, lines are written again because it is unknown how much of them reached the disk. The
 * number alone does not identify a line, since it may be damaged, and two windows may give
 * different events the same number.
 */
export class JournalReader {
  readonly #replay: Replay;
  /** Checksum of the last line with each number; keeping the lines themselves would cost memory. */
  readonly #marks = new Map<number, number>();
  #header: JournalHeader | undefined;
  #records = 0;
  #damaged = 0;

  /** @param id of the conversation */
  constructor(id: string) {
    this.#replay = new Replay(id);
  }

  /** The content read so far. */
  get content(): JournalContent {
    const { conversation } = this.#replay;
    return { header: this.#header, conversation, records: this.#records, damaged: this.#damaged };
  }

  /** Reads a chunk of complete lines. */
  read(lines: string): void {
    for (const line of lines.split('\n')) if (line.trim() !== '') this.#readLine(line);
  }

  #readLine(line: string): void {
    const value = parseJson(line);
    const record = eventLine.safeParse(value);
    if (!record.success) {
      this.#readHeader(value);
      return;
    }
    const { number, event } = record.data;
    const mark = markOf(line);
    if (this.#marks.get(number) === mark) return;
    this.#marks.set(number, mark);
    this.#records = Math.max(this.#records, number);
    this.#replay.apply(event);
  }

  #readHeader(value: unknown): void {
    const start = journalHeader.safeParse(value);
    if (start.success) this.#header ??= start.data;
    else this.#damaged += 1;
  }
}

/** Number of characters of a line that are sampled for its checksum. */
const markedCharacters = 256;

function markOf(line: string): number {
  const step = Math.ceil(line.length / markedCharacters);
  let mark = line.length;
  for (let index = 0; index < line.length; index += step)
    mark = (Math.imul(mark, 31) + line.charCodeAt(index)) | 0;
  return mark;
}

/**
 * Reads the newest turns of a journal from its last lines alone. Undefined if those contain no
 * complete turn, or are out of order, as after a line that was written again. `before` is at least
 * 1 if there may be earlier turns. Chat-wide state, such as the options, may be missing.
 */
export function readNewestTurns(id: string, lines: string): ConversationWindow | undefined {
  const none: ConversationWindow = { conversation: emptyConversation(id), before: 1, after: 0 };
  let newest = none;
  let records = 0;
  for (const line of lines.split('\n')) {
    const record = eventLine.safeParse(parseJson(line));
    if (!record.success) continue;
    if (record.data.number <= records) return undefined;
    records = record.data.number;
    newest = reduceWindow(newest, record.data.event) ?? none;
  }
  const { turns, running } = newest.conversation;
  return turns.length > 0 || running !== undefined ? newest : undefined;
}

/** Reads a whole journal at once. */
export function readJournal(id: string, text: string): JournalContent {
  const reader = new JournalReader(id);
  reader.read(text);
  return reader.content;
}
