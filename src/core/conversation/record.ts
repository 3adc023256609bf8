/**
 * The journal format of a conversation: a header line of JSON, then one line for each event. Each
 * line names its writer, since two windows may write to one journal: see `branches.ts`.
 */
import * as z from 'zod/mini';
import { imageTypes } from '../support/image.ts';
import { parseJson } from '../support/json.ts';
import type { ConversationEvent } from './events.ts';
import { maxSummary } from './summaries.ts';

/** The version of the journal format that this code writes. */
const version = 1;

/** Schema of the options of a chat. */
export const storedOptions = z.object({
  temperature: z.optional(z.number()),
  topP: z.optional(z.number()),
  maxTokens: z.optional(z.number()),
  stop: z.optional(z.array(z.string())),
  json: z.optional(z.boolean()),
  withoutTools: z.optional(z.boolean()),
});

/** Schema of token counts. */
export const storedUsage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  cached_tokens: z.number(),
  reasoning_tokens: z.optional(z.number()),
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
    z.transform((word) => words.find((candidate) => candidate === word) ?? otherwise),
  );

const attachmentKind = known(
  ['file', 'folder', 'symbol', 'selection', 'problems', 'changes', 'terminal', 'pasted', 'image'],
  'file',
);

const pixels = z.int().check(z.minimum(1));

const attachedImage = z.object({
  type: z.enum(imageTypes),
  width: pixels,
  height: pixels,
  size: pixels,
  hash: z.string().check(z.regex(/^[\da-f]{64}$/)),
  isOriginal: z.optional(z.boolean()),
});

const attachment = z.object({
  id: z.string(),
  kind: z.optional(attachmentKind),
  name: z.string(),
  path: z.string(),
  language: z.string(),
  range: z.optional(z.object({ start: z.number(), end: z.number() })),
  text: z.string(),
  image: z.optional(attachedImage),
});

/** Schema of attachments that are stored outside a journal. */
export const storedAttachments = z.array(attachment);

const question = z.object({ text: z.string(), attachments: storedAttachments });

/** Schema of messages that wait to be sent, with the conversation that they belong to. */
export const storedQueue = z.object({
  conversation: z.string(),
  messages: z.array(
    // Earlier versions stored no ids.
    z.object({ id: z.optional(z.string()), message: question, model: z.string() }),
  ),
});

/** Schema of the composer's content before a queued message was edited in it. */
export const storedHeldDraft = z.object({
  /** The queued message that is edited. */
  queued: z.string(),
  text: z.string(),
  attachments: storedAttachments,
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
        'new-chat',
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

const fileRestore = z.object({
  id: z.string(),
  turns: z.array(z.string()),
  files: z.array(z.string()),
  left: z.array(z.string()),
  status: known(['restored', 'undone'], 'undone'),
});

/** Milliseconds since the Unix epoch that a date can be made of. */
const time = z.number().check(z.minimum(0), z.maximum(8.64e15));

const endedPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('reasoning'),
    text: z.string(),
    startedAt: time,
    endedAt: z.optional(time),
  }),
  z.extend(call, {
    type: z.literal('tool-call'),
    round: z.number(),
    title: z.optional(z.string()),
    status: outcome,
    output: z.optional(z.string()),
    result: z.optional(z.string()),
    denialReason: z.optional(z.string()),
    startedAt: z.optional(time),
    endedAt: z.optional(time),
  }),
]);

const partChoices = ['left-out', 'pinned'] as const;

/** Schema of the choices about parts, outside a journal. */
export const storedPartChoices = z.array(
  z.object({ part: z.string(), choice: z.enum(partChoices) }),
);

const storedPreset = z.object({
  isOwn: z.boolean(),
  workspace: z.string(),
  path: z.string(),
  name: z.string(),
  text: z.string(),
  instead: z.string(),
});

const endedStatus = known(['finished', 'stopped', 'cut', 'failed'], 'cut');

/**
 * Schema of a turn that has ended, with all that is kept of it. It has no place for an approval, for
 * a grant, or for a call that goes on.
 */
export const storedTurn = z.object({
  id: z.string(),
  question,
  model: z.string(),
  status: endedStatus,
  parts: z.array(endedPart),
  startedAt: time,
  endedAt: time,
  runningSince: time,
  duration: z.number(),
  finishReason: z.optional(z.string()),
  usage: z.optional(storedUsage),
  error: z.optional(error),
  malformedEvents: z.optional(z.number()),
  lostRecords: z.optional(z.number()),
  json: z.optional(z.boolean()),
  firstSent: z.optional(z.string()),
  shortResultsBefore: z.optional(z.string()),
  withoutTools: z.optional(z.boolean()),
  changes: z.optional(z.array(fileChange)),
});

/** Schema of the ended turns beside the chosen path. */
export const storedPaths = z.array(
  z.object({
    after: z.string(),
    order: z.array(z.string()),
    paths: z.array(z.array(storedTurn).check(z.minLength(1))),
  }),
);

/** Schema of a summary. Its text is bounded, since every request has it. */
export const storedSummary = z.object({
  id: z.string(),
  text: z.string().check(z.maxLength(maxSummary)),
  upTo: z.string(),
  model: z.string(),
  at: time,
  unused: z.optional(z.boolean()),
});

const pause = z.object({
  reason: known(['rounds', 'repeat'], 'rounds'),
  tool: z.optional(z.string()),
});

/** Events of a running turn. */
const turnEventRecords = [
  z.object({ type: z.literal('request-retry'), retry }),
  z.object({ type: z.literal('request-start') }),
  z.object({ type: z.literal('request-sent'), usage: storedUsage, demo: z.optional(z.boolean()) }),
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
    denialReason: z.optional(z.string()),
    at: z.number(),
  }),
  z.object({ type: z.literal('tool-call-end'), call: z.extend(call, { outcome }) }),
  z.object({ type: z.literal('turn-pause'), pause }),
  z.object({ type: z.literal('turn-resume') }),
  z.object({ type: z.literal('usage'), usage: storedUsage, demo: z.optional(z.boolean()) }),
  z.object({
    type: z.literal('turn-end'),
    status: endedStatus,
    finishReason: z.optional(z.string()),
    malformedEvents: z.optional(z.number()),
    error: z.optional(error),
    at: z.number(),
  }),
] as const;

const eventRecords = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('turn-start'),
    id: z.string(),
    question,
    model: z.string(),
    json: z.boolean(),
    withoutTools: z.optional(z.boolean()),
    firstSent: z.optional(z.string()),
    shortResultsBefore: z.optional(z.string()),
    after: z.optional(z.string()),
    at: z.number(),
  }),
  z.object({ type: z.literal('turn-continue'), at: z.number() }),
  z.object({ type: z.literal('turn-remove'), id: z.string(), moved: z.optional(z.boolean()) }),
  z.object({ type: z.literal('version-select'), turn: z.string() }),
  z.object({ type: z.literal('options-change'), options: storedOptions }),
  z.object({
    type: z.literal('part-choice'),
    parts: z.array(z.string()),
    choice: z.optional(known(partChoices, undefined)),
  }),
  z.object({ type: z.literal('preset-change'), preset: z.optional(storedPreset) }),
  z.object({ type: z.literal('title-change'), title: z.string() }),
  z.object({ type: z.literal('pin-change'), pinned: z.boolean() }),
  z.object({
    type: z.literal('chat-shorten'),
    summary: storedSummary,
    usage: z.optional(storedUsage),
    demo: z.optional(z.boolean()),
  }),
  z.object({ type: z.literal('summary-use'), summary: z.string(), used: z.boolean() }),
  z.object({
    type: z.literal('chat-usage'),
    model: z.string(),
    usage: storedUsage,
    demo: z.optional(z.boolean()),
  }),
  z.object({
    type: z.literal('chat-import'),
    usage: z.record(z.string(), storedUsage),
    others: z.optional(storedPaths),
  }),
  z.object({ type: z.literal('turn-import'), turn: storedTurn }),
  z.object({
    type: z.literal('compared-turn-start'),
    id: z.string(),
    model: z.string(),
    json: z.boolean(),
    withoutTools: z.optional(z.boolean()),
    firstSent: z.optional(z.string()),
    shortResultsBefore: z.optional(z.string()),
    replaces: z.optional(z.string()),
    at: z.number(),
  }),
  z.object({
    type: z.literal('compared-turn-event'),
    turn: z.string(),
    event: z.discriminatedUnion('type', turnEventRecords),
  }),
  z.object({ type: z.literal('files-change'), turn: z.string(), changes: z.array(fileChange) }),
  z.object({ type: z.literal('files-restore'), turn: z.string(), restore: fileRestore }),
  ...turnEventRecords,
]);

const eventRecord: z.ZodMiniType<ConversationEvent> = eventRecords;
const knownTypes: readonly string[] = eventRecords.def.options.flatMap(
  ({ shape }) => shape.type.def.values,
);

const lineOrigin = z.object({
  number: z.int().check(z.minimum(1)),
  /** Absent in lines of versions before there were writers. */
  writer: z.optional(z.string().check(z.minLength(1))),
  after: z.optional(z.object({ lines: z.record(z.string(), z.number()), damaged: z.number() })),
});
const eventLine = z.extend(lineOrigin, { event: eventRecord });
const word = z.string().check(z.regex(/^[a-z-]{3,40}$/));
const laterLine = z.extend(lineOrigin, {
  event: z.object({ type: word, event: z.optional(z.object({ type: word })) }),
});

/** A line of a journal: an event, and who wrote it. */
export interface EventLine extends z.infer<typeof lineOrigin> {
  /** Undefined for an event that only a later version knows. */
  readonly event: ConversationEvent | undefined;
}

/** The lines that a writer had read before it wrote its first. */
export interface JournalPosition {
  /**
   * The number of the last line by its writer, which is empty for versions before there were
   * writers. Other writers only if their lines overlap.
   */
  readonly lines: Readonly<Record<string, number>>;
  /** Number of damaged lines up to there, which were copied aside. */
  readonly damaged: number;
}

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
 * True if a later version created the journal: this version may read it, but must not write to it.
 */
export function isNewerVersion(text: string): boolean {
  return newerHeader.safeParse(parseJson(text.slice(0, text.indexOf('\n')))).success;
}

/** The header line of a journal. */
export function writeHeader(record: JournalHeader): string {
  return `${JSON.stringify({ version, ...record })}\n`;
}

/** Window that writes a line. */
export interface LineWriter {
  /** Identifier of the window that writes. */
  readonly writer: string;
  /** Only in the first line of a writer. */
  readonly after?: JournalPosition | undefined;
}

/** The line of one event. `number` counts the events of the journal from 1. */
export function writeEvent(event: ConversationEvent, number: number, by?: LineWriter): string {
  return `${JSON.stringify({ number, ...by, event })}\n`;
}

/** The content of a line; undefined if the line is damaged or is a header. */
export function readEvent(line: string): EventLine | undefined {
  const value = parseJson(line);
  const known = eventLine.safeParse(value).data;
  if (known !== undefined) return known;
  const later = laterLine.safeParse(value).data;
  if (later === undefined) return undefined;
  const { type, event } = later.event;
  return isLaterType(event?.type ?? type) ? { ...later, event: undefined } : undefined;
}

/** True if a word names an event of a later version, and is not a known one with a damaged letter. */
function isLaterType(word: string): boolean {
  return knownTypes.every((type) => {
    if (type.length !== word.length) return type !== word;
    return Array.from(type, (letter, index) => letter !== word[index]).filter(Boolean).length > 1;
  });
}

/** The header of a journal; undefined if the line is damaged or is an event. */
export function readHeader(line: string): JournalHeader | undefined {
  return journalHeader.safeParse(parseJson(line)).data;
}
