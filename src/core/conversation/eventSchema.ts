/**
 * The schemas of the events that are stored. The types of `events.ts` are inferred from them. `at`
 * is in milliseconds since the Unix epoch by the host's clock.
 */
import * as z from 'zod/mini';
import {
  storedApproval,
  storedCall,
  storedError,
  storedFileChange,
  storedFileRestore,
  storedMessage,
  storedOptions,
  storedOutcome,
  storedPartChoice,
  storedPaths,
  storedPause,
  storedPreset,
  storedProcess,
  storedRetry,
  storedStatus,
  storedSummary,
  storedTurn,
  storedUsage,
} from './conversationSchema.ts';
import { chatModes } from './mode.ts';

/** Usage of a request. The demo service (`demo`) costs nothing. */
const counted = { usage: storedUsage, demo: z.optional(z.boolean()) };

const started = {
  id: z.string(),
  model: z.string(),
  json: z.boolean(),
  withoutTools: z.optional(z.boolean()),
  mode: z.optional(z.enum(chatModes)),
  firstSent: z.optional(z.string()),
  shortResultsBefore: z.optional(z.string()),
  at: z.number(),
};

const turnEvents = [
  /** An attempt failed; the next one is scheduled, without tools if the model refused them. */
  z.object({
    type: z.literal('request-retry'),
    retry: storedRetry,
    toolsRefused: z.optional(z.boolean()),
  }),
  /** The next attempt was sent after a wait. */
  z.object({ type: z.literal('request-start') }),
  /**
   * A request, or another attempt of it, is about to be sent. Its estimated usage counts until
   * `usage` replaces it, or for good if the window closes before.
   */
  z.object({ type: z.literal('request-sent'), ...counted }),
  z.object({ type: z.literal('text-delta'), text: z.string(), at: z.number() }),
  z.object({ type: z.literal('reasoning-delta'), text: z.string(), at: z.number() }),
  /** The last `length` characters of text were reasoning, whose beginning no mark showed. */
  z.object({
    type: z.literal('text-to-reasoning'),
    length: z.number(),
    startedAt: z.number(),
    at: z.number(),
  }),
  /** The model called a tool, and the call will be run. */
  z.object({
    type: z.literal('tool-call-start'),
    call: z.extend(storedCall, { round: z.number(), title: z.optional(z.string()) }),
    /** Absent in chats of earlier versions. */
    at: z.optional(z.number()),
  }),
  /** The call waits for the person's approval. */
  z.object({ type: z.literal('tool-call-ask'), id: z.string(), question: storedApproval }),
  /**
   * The call runs, or continues after an approval. `grant` is the reason why it needed no approval.
   */
  z.object({
    type: z.literal('tool-call-run'),
    id: z.string(),
    grant: z.optional(z.string()),
    at: z.number(),
  }),
  /** The call produced output, which is appended to its earlier output. */
  z.object({ type: z.literal('tool-call-output'), id: z.string(), text: z.string() }),
  /** The call ended; `result` is sent to the model. */
  z.object({
    type: z.literal('tool-call-result'),
    id: z.string(),
    outcome: storedOutcome,
    result: z.string(),
    /** Absent if the person gave no reason. */
    denialReason: z.optional(z.string()),
    at: z.number(),
  }),
  /** A call that is shown but not run, because the reply is incomplete. */
  z.object({
    type: z.literal('tool-call-end'),
    call: z.extend(storedCall, { outcome: storedOutcome }),
  }),
  /** The turn reached a limit and waits for the person. */
  z.object({ type: z.literal('turn-pause'), pause: storedPause }),
  /** The person continued the paused turn. */
  z.object({ type: z.literal('turn-resume') }),
  /**
   * Token usage of one request, once per request. Its number of requests is 0 if nothing was
   * billed.
   */
  z.object({ type: z.literal('usage'), ...counted }),
  /** The turn ended. */
  z.object({
    type: z.literal('turn-end'),
    status: storedStatus,
    finishReason: z.optional(z.string()),
    malformedEvents: z.optional(z.number()),
    error: z.optional(storedError),
    at: z.number(),
  }),
] as const;

export const turnEvent = z.discriminatedUnion('type', turnEvents);

export const storedEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('turn-start'),
    ...started,
    question: storedMessage,
    /**
     * The turn that it follows; empty for the first. The path is switched to it if a record about
     * the switch was lost. Absent in chats of earlier versions.
     */
    after: z.optional(z.string()),
  }),
  /** The newest turn, which had ended, continues where its text stops. */
  z.object({ type: z.literal('turn-continue'), at: z.number() }),
  /**
   * The path ends before the turn, because its message was edited or is sent again. The turn and
   * all later ones become another path (earlier versions removed them). A running turn without a
   * reply is removed.
   */
  z.object({
    type: z.literal('turn-remove'),
    id: z.string(),
    /** True if an earlier version moved the message to another chat: then the turn is removed. */
    moved: z.optional(z.boolean()),
  }),
  /** Another version of a message or a reply was chosen. The path now leads through this turn. */
  z.object({ type: z.literal('version-select'), turn: z.string() }),
  z.object({ type: z.literal('options-change'), options: storedOptions }),
  /** The person excluded or pinned parts of the next request, or undid that. */
  z.object({
    type: z.literal('part-choice'),
    /** Keys of the parts: see `partKey`. */
    parts: z.array(z.string()),
    /** Absent if an earlier choice is removed. */
    choice: z.optional(storedPartChoice),
  }),
  /** The person chose a preset, or removed it (`preset` is absent). */
  z.object({ type: z.literal('preset-change'), preset: z.optional(storedPreset) }),
  /**
   * The person renamed the chat. An empty title restores the default, the first line of the chat.
   */
  z.object({ type: z.literal('title-change'), title: z.string() }),
  z.object({ type: z.literal('pin-change'), pinned: z.boolean() }),
  /**
   * A summary replaces the turns that it covers. Its usage is absent in files and forks, where it
   * counts elsewhere.
   */
  z.object({
    type: z.literal('chat-shorten'),
    summary: storedSummary,
    ...counted,
    usage: z.optional(storedUsage),
  }),
  /** The summary is sent again, or the messages that it covers. */
  z.object({ type: z.literal('summary-use'), summary: z.string(), used: z.boolean() }),
  /** Usage of a request that belongs to the chat but to no turn. */
  z.object({ type: z.literal('chat-usage'), model: z.string(), ...counted }),
  /** The first event of a chat that was imported from a file, and of a fork of one. */
  z.object({
    type: z.literal('chat-import'),
    /** Usage by model, as stated by the file. */
    usage: z.record(z.string(), storedUsage),
    /** The turns off the chosen path. */
    others: z.optional(storedPaths),
  }),
  /** A turn of an imported file. It has ended, and none of its calls run again. */
  z.object({ type: z.literal('turn-import'), turn: storedTurn }),
  /**
   * The message of the newest turn was also sent to another model. Only version 1.0 did this, and
   * `reduce` makes the reply a version.
   */
  z.object({
    type: z.literal('compared-turn-start'),
    ...started,
    /** The turn whose message was sent again. */
    replaces: z.optional(z.string()),
  }),
  /** An event of such a turn. */
  z.object({ type: z.literal('compared-turn-event'), turn: z.string(), event: turnEvent }),
  /** All files that a turn has changed so far; replaces the previous list. */
  z.object({
    type: z.literal('files-change'),
    turn: z.string(),
    changes: z.array(storedFileChange),
  }),
  /** The processes that the command of a call left running; replaces the previous list. */
  z.object({
    type: z.literal('processes-change'),
    turn: z.string(),
    call: z.string(),
    processes: z.array(storedProcess),
  }),
  /** Files were restored before a message was sent again, or that was undone or redone. */
  z.object({ type: z.literal('files-restore'), turn: z.string(), restore: storedFileRestore }),
  ...turnEvents,
]);
