/**
 * The schemas of everything that is stored of a conversation. The types of `conversation.ts` are
 * inferred from them, so that each field is written once. The view imports only the types.
 */
import * as z from 'zod/mini';
import { chatModes } from './mode.ts';
import { imageTypes } from '../support/image.ts';

/** Maximum number of characters of a summary. */
export const maxSummary = 100_000;

/** The value of a schema, of which nothing may be changed. */
export type Stored<Schema extends z.ZodMiniType> = Immutable<z.infer<Schema>>;

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

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

const options = z.object({
  temperature: z.optional(z.number()),
  topP: z.optional(z.number()),
  maxTokens: z.optional(z.number()),
  stop: z.optional(z.array(z.string())),
  /** True asks for a JSON reply (`response_format`). */
  json: z.optional(z.boolean()),
  /** Which tools messages are sent with; undefined until one was chosen. */
  mode: z.optional(z.enum(chatModes)),
  /** What chats without tools had before there were modes. */
  withoutTools: z.optional(z.boolean()),
});

/** Request parameters of section 4.1 that a person can set; absent ones are not sent. */
export const storedOptions = z.pipe(
  options,
  z.transform(({ withoutTools, ...current }: z.infer<typeof options>) =>
    withoutTools === true ? { mode: 'chat' as const, ...current } : current,
  ),
);

/**
 * Token usage: the `usage` of section 2.4 of the service interface, with the OpenAI standard's
 * cached tokens, and the number of requests.
 */
export const storedUsage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  /** The part of `prompt_tokens` that the service read from its cache. */
  cached_tokens: z.number(),
  /** The part of `completion_tokens` that is reasoning; absent if the service reports none. */
  reasoning_tokens: z.optional(z.number()),
  requests: z.number(),
  /** True if any part is an estimate, because the service reported none: shown with `≈`. */
  estimated: z.boolean(),
});

/** The source of an attachment. */
const attachmentKind = known(
  ['file', 'folder', 'symbol', 'selection', 'problems', 'changes', 'terminal', 'pasted', 'image'],
  'file',
);

const positive = z.int().check(z.minimum(1));

/** An image, whose bytes are in a file beside the journal of the chat. */
const attachedImage = z.object({
  type: z.enum(imageTypes),
  /** Pixels. */
  width: positive,
  height: positive,
  /** Bytes. */
  size: positive,
  /** SHA-256 of the bytes, by which the file is found. */
  hash: z.string().check(z.regex(/^[\da-f]{64}$/)),
  /** True for the bytes of a file as they are, with all that a camera notes in them. */
  isOriginal: z.optional(z.boolean()),
});

/** Text that is sent with a message, as it was when it was attached. */
const attachment = z.object({
  id: z.string(),
  /** Absent in chats of earlier versions, for a file or for lines of one. */
  kind: z.optional(attachmentKind),
  /** The label of its chip, for example `app.ts:3-9`. */
  name: z.string(),
  /** Path shown to the person, relative to the workspace if it is inside one. */
  path: z.string(),
  /** VS Code's language identifier. */
  language: z.string(),
  /** First and last line, counted from 1; absent for a whole file. */
  range: z.optional(z.object({ start: z.number(), end: z.number() })),
  /** Empty for an image. */
  text: z.string(),
  /** Present for an image. */
  image: z.optional(attachedImage),
});

/** Schema of attachments that are stored outside a journal. */
export const storedAttachments = z.array(attachment);

/** A message that the person sent. */
export const storedMessage = z.object({ text: z.string(), attachments: storedAttachments });

/** Schema of messages that wait to be sent, with the conversation that they belong to. */
export const storedQueue = z.object({
  conversation: z.string(),
  messages: z.array(
    // Earlier versions stored no ids.
    z.object({ id: z.optional(z.string()), message: storedMessage, model: z.string() }),
  ),
});

/** Schema of the composer's content before a queued message was edited in it. */
export const storedHeldDraft = z.object({
  /** The queued message that is edited. */
  queued: z.string(),
  text: z.string(),
  attachments: storedAttachments,
});

/**
 * A serializable error: its kind (see `core/reply/errors`) and the message that was shown for it.
 */
export const storedError = z.object({
  kind: z.string(),
  /** The problem and its remedy, in the display language. */
  message: z.string(),
  /** The action offered for it. An unknown one is dropped, since its button would do nothing. */
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
        // The budget of the chat, which a new chat has, too.
        'raise-chat-budget',
        // The request had tools and may be accepted without them.
        'without-tools',
      ],
      undefined,
    ),
  ),
});

/** A scheduled retry of a failed request. */
export const storedRetry = z.object({
  /** Number of the next attempt, and the maximum number of attempts. */
  attempt: z.number(),
  attempts: z.number(),
  /** Start of the next attempt, in milliseconds since the Unix epoch by the host's clock. */
  resumeAt: z.number(),
  error: storedError,
});

/** The outcome of a call: `denied` by the person or by the policy, `stopped` before it finished. */
export const storedOutcome = known(['done', 'failed', 'denied', 'stopped'], 'failed');

/** The words for several calls in one line, in the person's language. */
const callSummary = z.object({
  /**
   * Label with `{0}` for their number: `Read {0} files`. Calls with the same words are counted
   * together, even if they are calls of different tools.
   */
  many: z.string(),
  /**
   * Counts distinct values of an argument instead of calls: the name of the argument, for example
   * `path`, and the words for several calls with one value, `Read 1 file`.
   */
  distinct: z.optional(z.object({ argument: z.string(), one: z.string() })),
});

/** A tool call as the model wrote it, and how it looks. */
export const storedCall = z.object({
  /** Unique within its turn; generated if the model sent no id or reused one. */
  id: z.string(),
  name: z.string(),
  /** JSON text exactly as the model wrote it. */
  arguments: z.string(),
  /** The codicon of its tool; absent without such a tool, and in chats of earlier versions. */
  icon: z.optional(z.string()),
  /** Label for a group of similar calls, such as "Read 3 files"; absent if `icon` is. */
  summary: z.optional(callSummary),
});

/** A changed file, with line counts. */
const changedFile = z.object({
  /** Path shown to the person. */
  path: z.string(),
  kind: known(['edit', 'create'], 'edit'),
  addedLines: z.number(),
  removedLines: z.number(),
});

/** A pending approval of a tool call. */
export const storedApproval = z.object({
  /** The place to respond in: the panel, or a VS Code dialog, which the view cannot answer. */
  by: known(['panel', 'dialog'], 'dialog'),
  /** True if "Allow in This Chat" is offered. Only for approvals in the panel. */
  forChat: z.boolean(),
  /** The files that the call would change, for approvals in the panel. */
  files: z.array(changedFile),
});

/** A file that a turn changed. */
export const storedFileChange = z.extend(changedFile, {
  /** Unique within its turn. */
  id: z.string(),
  /** `changed` until the person keeps or undoes the change, and again when it is redone. */
  status: known(['changed', 'kept', 'undone'], 'kept'),
});

/** Files that were restored to their state before a message, when that was sent again. */
export const storedFileRestore = z.object({
  /** Key of the stored texts from before. */
  id: z.string(),
  /** The turns whose changes were undone, oldest first. */
  turns: z.array(z.string()),
  /** The paths of the restored files, as displayed. */
  files: z.array(z.string()),
  /**
   * The paths of files that were left as they are, since somebody else has changed them: when they
   * were to be restored, or when that was undone.
   */
  left: z.array(z.string()),
  /** `restored` until the person undoes it, and again when it is redone. */
  status: known(['restored', 'undone'], 'undone'),
});

/** Milliseconds since the Unix epoch that a date can be made of. */
const time = z.number().check(z.minimum(0), z.maximum(8.64e15));

const storedText = z.object({ type: z.literal('text'), text: z.string() });

/** The model's reasoning. Never sent back to the model. */
export const storedReasoning = z.object({
  type: z.literal('reasoning'),
  text: z.string(),
  startedAt: time,
  /** Absent while the reasoning is streaming. */
  endedAt: z.optional(time),
});

/** A tool call that has ended. */
export const storedToolCall = z.extend(storedCall, {
  type: z.literal('tool-call'),
  /**
   * Number of the request of the turn that called it, from 1. Calls of the same round belong to one
   * message.
   */
  round: z.number(),
  /** The call in words for the person; absent if its arguments were not understood. */
  title: z.optional(z.string()),
  status: storedOutcome,
  /** Output so far, limited in length. */
  output: z.optional(z.string()),
  /**
   * The result that is sent to the model. Absent until the call ends, and for a call that was not
   * run.
   */
  result: z.optional(z.string()),
  /** The reason why the person denied it, which the result has too. */
  denialReason: z.optional(z.string()),
  /** Start of the run, in milliseconds since the Unix epoch. */
  startedAt: z.optional(time),
  endedAt: z.optional(time),
});

const partChoices = ['left-out', 'pinned'] as const;
/** Schema of a choice about parts; one of a later version counts as none. */
export const storedPartChoice = known(partChoices, undefined);

/** Schema of the choices about parts, outside a journal. */
export const storedPartChoices = z.array(
  z.object({ part: z.string(), choice: z.enum(partChoices) }),
);

/**
 * A preset of a chat. It only identifies the file, whose permissions are decided when it is read,
 * and not by data stored with a chat.
 */
export const storedPreset = z.object({
  /** True if it is in the person's own folder, and not in the workspace. */
  isOwn: z.boolean(),
  /**
   * The identity of the workspace in which it was chosen: a file of the same path in another one is
   * not what the person chose. Empty for an own one.
   */
  workspace: z.string(),
  /** The path of the file as the person sees it. */
  path: z.string(),
  name: z.string(),
  /** The text of the file that the person last saw. */
  text: z.string(),
  /** The model that was selected before, which the preset's replaces. */
  instead: z.string(),
});

/** The end of a turn: see `TurnStatus`. */
export const storedStatus = known(['finished', 'stopped', 'cut', 'failed'], 'cut');

/**
 * Schema of a turn that has ended, with all that is kept of it. It has no place for an approval, for
 * a grant, or for a call that goes on.
 */
export const storedTurn = z.object({
  id: z.string(),
  question: storedMessage,
  /** Identifier of the model that the message was sent to. */
  model: z.string(),
  status: storedStatus,
  parts: z.array(z.discriminatedUnion('type', [storedText, storedReasoning, storedToolCall])),
  /** Time of sending, in milliseconds since the Unix epoch. */
  startedAt: time,
  endedAt: time,
  /** Time of the last start or resume; earlier running time is in `duration`. */
  runningSince: time,
  /** Milliseconds that the turn has run, without the time between an end and its continuation. */
  duration: z.number(),
  /** The service's `finish_reason` (section 2.2) of the last request. */
  finishReason: z.optional(z.string()),
  /** Total usage of the turn's requests. */
  usage: z.optional(storedUsage),
  /** The error with which the turn failed or was cut off. */
  error: z.optional(storedError),
  /** Number of stream events that could not be parsed and were skipped. */
  malformedEvents: z.optional(z.number()),
  /** Number of places at which saved records could not be read. */
  lostRecords: z.optional(z.number()),
  /** True if a JSON reply was requested (`response_format`). */
  json: z.optional(z.boolean()),
  /**
   * The oldest earlier turn that is sent with this one, if they don't all fit the model's context
   * window; the id of a summary if only that does, and empty if nothing does.
   */
  firstSent: z.optional(z.string()),
  /**
   * The oldest earlier turn whose tool results are sent in full; empty if none is. Results of the
   * turns before are one line each. Absent if all are sent in full.
   */
  shortResultsBefore: z.optional(z.string()),
  /** True if its requests are sent without tools although tools are available. */
  withoutTools: z.optional(z.boolean()),
  /** Files that the turn changed, in the order of their first change. */
  changes: z.optional(z.array(storedFileChange)),
});

/** The paths that lead on from one turn, without the chosen one. */
const otherPaths = z.object({
  /** The turn that they follow; empty for the start of the conversation. */
  after: z.string(),
  /**
   * The first turns of all paths, the oldest first. The newest is missing if it was chosen ever
   * since.
   */
  order: z.array(z.string()),
  /** Each with at least one turn, oldest first; the path that was left last is the last. */
  paths: z.array(z.array(storedTurn).check(z.minLength(1))),
});

/** Schema of the ended turns beside the chosen path. */
export const storedPaths = z.array(otherPaths);

/** A text by a model that is sent in place of all turns up to one of them. */
export const storedSummary = z.object({
  id: z.string(),
  /** Its length is bounded, since every request has it. */
  text: z.string().check(z.maxLength(maxSummary)),
  /** The last turn that it stands for. It is sent only if the path leads through that turn. */
  upTo: z.string(),
  /** The model that wrote it. */
  model: z.string(),
  /** Time of writing, in milliseconds since the Unix epoch. */
  at: time,
  /** True while the messages are sent instead. */
  unused: z.optional(z.boolean()),
});

/** A pause of a turn, which waits for the person to continue it. */
export const storedPause = z.object({
  /**
   * - `rounds`: the number of requests that `aside.tools.maxRounds` allows was reached
   * - `repeat`: the same call three times, or the same failing edit twice
   */
  reason: known(['rounds', 'repeat'], 'rounds'),
  /** Name of the tool whose call is repeated. */
  tool: z.optional(z.string()),
});
