import * as z from 'zod/mini';
import { chatModes } from './mode.ts';
import { imageTypes } from '../support/image.ts';

/**
 * The schemas of all stored parts of a conversation. The types of `conversation.ts` are inferred
 * from them, so that each field is written once. The view imports only the types.
 */

export const maxSummary = 100_000;

/** The immutable type of a schema's values. */
export type Stored<Schema extends z.ZodMiniType> = Immutable<z.infer<Schema>>;

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

/**
 * An enum schema that maps unknown values, written by a later version, to a default, so that the
 * record still loads.
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
  /** Requests a JSON reply (`response_format`). */
  json: z.optional(z.boolean()),
  /** Decides which tools are sent; undefined until the person chooses a mode. */
  mode: z.optional(z.enum(chatModes)),
  /** Chats written before there were modes have this instead of a mode. */
  withoutTools: z.optional(z.boolean()),
});

/** Request parameters of docs/service.md 4.1 that a person can set. Absent ones aren't sent. */
export const storedOptions = z.pipe(
  options,
  z.transform(({ withoutTools, ...current }: z.infer<typeof options>) =>
    withoutTools === true ? { mode: 'chat' as const, ...current } : current,
  ),
);

/**
 * Token usage: the `usage` of docs/service.md 2.4, with the OpenAI standard's
 * cached tokens, and the number of requests.
 */
export const storedUsage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  /** The part of `prompt_tokens` that the service read from its cache. */
  cached_tokens: z.number(),
  /** The part of `prompt_tokens` that the service wrote to its cache; absent if it reports none. */
  written_tokens: z.optional(z.number()),
  /** The part of `completion_tokens` that is reasoning; absent if the service reports none. */
  reasoning_tokens: z.optional(z.number()),
  /** Tokens of attempts that broke and were sent again; absent if there were none. */
  retried_tokens: z.optional(z.number()),
  requests: z.number(),
  /** True if any part is an estimate, because the service reported none: shown with `≈`. */
  estimated: z.boolean(),
  /**
   * The cost at the price of the time, in units of the currency of that time; the billed amount
   * where that is larger. Absent where the price of any part was unknown.
   */
  cost: z.optional(z.number()),
  /**
   * US dollars that the service said it billed; absent where it said so of no part or only some.
   */
  billed: z.optional(z.number()),
});

const amount = z.number().check(z.minimum(0));

/** Prices per million tokens. */
const rates = {
  input: amount,
  output: amount,
  /** Price of cached prompt tokens, if it differs from `input`. */
  cachedInput: z.optional(amount),
  /** Price of prompt tokens that are written to the cache, if it differs from `input`. */
  cacheWrite: z.optional(amount),
  /** Price of reasoning tokens, if it differs from `output`. */
  reasoning: z.optional(amount),
};

/** Prices of a model, in the currency of the setting `aside.currency`. */
export const storedPrice = z.object({
  ...rates,
  /**
   * Prices of longer requests, ascending. Those of the last tier that begins (`from`) at or below
   * the number of prompt tokens hold for the whole request.
   */
  tiers: z.optional(z.array(z.object({ from: z.number(), ...rates }))),
  /** Fee of each request. */
  request: z.optional(amount),
  /** Fee of each image that is sent. */
  image: z.optional(amount),
  /** True if the service lists a fee that isn't understood: the price is at least this. */
  isPartial: z.optional(z.boolean()),
  /**
   * Field of the service's list with the price of the prompt, and the number of tokens that its
   * amount is for. Absent for prices that the person set.
   */
  source: z.optional(z.object({ field: z.string(), tokens: z.number() })),
});

const attachmentKind = known(
  [
    'file',
    'folder',
    'symbol',
    'selection',
    'problems',
    'changes',
    'terminal',
    'pasted',
    'image',
    'chat',
  ],
  'file',
);

const positive = z.int().check(z.minimum(1));

/** An image. Its bytes are in a file beside the journal of the chat. */
const attachedImage = z.object({
  type: z.enum(imageTypes),
  /** Pixels. */
  width: positive,
  height: positive,
  /** Bytes. */
  size: positive,
  /** SHA-256 of the bytes, also the name of the file. */
  hash: z.string().check(z.regex(/^[\da-f]{64}$/)),
  /** True if the bytes are unchanged, including a camera's metadata. */
  isOriginal: z.optional(z.boolean()),
});

/** Text that is sent with a message, as it was when attached. */
const attachment = z.object({
  id: z.string(),
  /** Absent in chats of earlier versions, for files and ranges of lines. */
  kind: z.optional(attachmentKind),
  /** The label of its chip, for example `app.ts:3-9`. */
  name: z.string(),
  /** Path shown to the person, relative to the workspace if it is inside one. */
  path: z.string(),
  language: z.string(),
  /** First and last line, counted from 1; absent for a whole file. */
  range: z.optional(z.object({ start: z.number(), end: z.number() })),
  /** Empty for an image. */
  text: z.string(),
  /** Present for an image. */
  image: z.optional(attachedImage),
  /** True for the text of a tainted chat, which taints each chat that it is sent in. */
  tainted: z.optional(z.boolean()),
});

export const storedAttachments = z.array(attachment);

export const storedMessage = z.object({
  text: z.string(),
  attachments: storedAttachments,
  /** True if it asks for a plan, which is written with tools that read only. */
  plan: z.optional(z.boolean()),
});

/** Messages that wait to be sent, and their conversation. */
export const storedQueue = z.object({
  conversation: z.string(),
  messages: z.array(
    // Earlier versions stored no ids.
    z.object({ id: z.optional(z.string()), message: storedMessage, model: z.string() }),
  ),
});

export const storedHeldDraft = z.object({
  queued: z.string(),
  text: z.string(),
  attachments: storedAttachments,
});

/**
 * A serializable error: its kind (see `core/service/errors`) and the message that was shown for it.
 */
export const storedError = z.object({
  kind: z.string(),
  /** The problem and its remedy, in the display language. */
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
        // Raises the budget of this chat and of new ones.
        'raise-chat-budget',
        // The same request may succeed without tools.
        'without-tools',
      ],
      undefined,
    ),
  ),
});

/** A scheduled retry of a failed request. */
export const storedRetry = z.object({
  attempt: z.number(),
  attempts: z.number(),
  /** Start of the next attempt, in milliseconds since the Unix epoch by the host's clock. */
  resumeAt: z.number(),
  error: storedError,
});

/** `denied` by the person or by the policy; `stopped` before it finished. */
export const storedOutcome = known(['done', 'failed', 'denied', 'stopped'], 'failed');

/** Texts that show several calls in one line, in the display language. */
const callSummary = z.object({
  /**
   * Label with `{0}` for the count: `Read {0} files`. Calls with equal texts are counted together,
   * even those of different tools.
   */
  many: z.string(),
  /**
   * Counts distinct values of an argument, for example `path`, instead of calls. `one` is the text
   * for several calls with the same value: `Read 1 file`.
   */
  distinct: z.optional(z.object({ argument: z.string(), one: z.string() })),
});

const fields = z.record(z.string(), z.unknown());

/** A tool call as the model wrote it, with the texts that show it. */
const storedCall = z.object({
  /** Unique within its turn; generated if the model sent no id or reused one. */
  id: z.string(),
  name: z.string(),
  /** JSON text exactly as the model wrote it. */
  arguments: z.string(),
  /**
   * Fields that the service may want back as they came: of the message, with its first call, and of
   * the call. Shown nowhere, and in no exported file.
   */
  trace: z.optional(
    z.object({
      /** Id of the service that sent it. Absent in chats of earlier versions. */
      service: z.optional(z.string()),
      message: z.optional(fields),
      call: z.optional(fields),
    }),
  ),
  /** Codicon of its tool; absent for unknown tools, and in chats of earlier versions. */
  icon: z.optional(z.string()),
  /** Label for a group of similar calls, such as "Read 3 files"; absent if `icon` is. */
  summary: z.optional(callSummary),
});

/** A changed file, with line counts. */
const changedFile = z.object({
  path: z.string(),
  kind: known(['edit', 'create'], 'edit'),
  addedLines: z.number(),
  removedLines: z.number(),
});

export const storedApproval = z.object({
  /**
   * Where the approval is shown: in the panel, or in a VS Code dialog, which the view can't respond
   * to. A question of the model isn't an approval: its card takes the answer.
   */
  by: known(['panel', 'dialog', 'question'], 'dialog'),
  /** True if "Allow in This Chat" is offered. Only for approvals in the panel. */
  forChat: z.boolean(),
  /** True if it isn't offered since Git doesn't track a file, or the file is new. */
  untracked: z.optional(z.boolean()),
  /** The files that the call would change, for approvals in the panel. */
  files: z.array(changedFile),
});

export const storedFileChange = z.extend(changedFile, {
  /** Unique within its turn. */
  id: z.string(),
  /** `changed` until the person keeps or undoes the change, and again after a redo. */
  status: known(['changed', 'kept', 'undone'], 'kept'),
});

/** Files that were restored to their state before a message when it was sent again. */
export const storedFileRestore = z.object({
  /** Key of the stored texts that the files had before. */
  id: z.string(),
  /** The turns whose changes were undone, oldest first. */
  turns: z.array(z.string()),
  /** The paths of the restored files, as displayed. */
  files: z.array(z.string()),
  /**
   * Displayed paths of files that could not be restored, or whose restore could not be undone,
   * because they were changed elsewhere.
   */
  left: z.array(z.string()),
  /** `restored` until the person undoes it, and again after a redo. */
  status: known(['restored', 'undone'], 'undone'),
});

/** Milliseconds since the Unix epoch, within the range of `Date`. */
const time = z.number().check(z.minimum(0), z.maximum(8.64e15));

const storedText = z.object({ type: z.literal('text'), text: z.string() });

/** A message of the person that went into the running turn between two of its requests. */
export const storedAddedMessage = z.object({
  type: z.literal('message'),
  /** Unique within its turn. */
  id: z.string(),
  message: storedMessage,
  at: time,
});

export const storedReasoning = z.object({
  type: z.literal('reasoning'),
  text: z.string(),
  startedAt: time,
  /** Absent while the reasoning is streaming. */
  endedAt: z.optional(time),
  /** Tokens that the service reported for it. */
  tokens: z.optional(z.number()),
});

/** A process that stays the same one although the system uses its id again after its end. */
export const storedProcess = z.object({
  id: z.number(),
  /** When it started, in a form of the system. */
  started: z.string(),
  /** Its command line, shortened. */
  name: z.string(),
});

export const storedToolCall = z.extend(storedCall, {
  type: z.literal('tool-call'),
  /**
   * Number of the request of the turn, from 1, whose reply contains the call. Calls of one round
   * belong to one message.
   */
  round: z.number(),
  /** Displayed title of the call; absent if its arguments were invalid. */
  title: z.optional(z.string()),
  status: storedOutcome,
  /** Output so far, limited in length. */
  output: z.optional(z.string()),
  /** Sent to the model. Absent until the call ends, and for a call that was not run. */
  result: z.optional(z.string()),
  /** The person's reason for denying the call, which `result` includes. */
  denialReason: z.optional(z.string()),
  /** Processes that its command left running. In no exported file, and dropped by imports. */
  leftRunning: z.optional(z.array(storedProcess)),
  /** Start of the run, in milliseconds since the Unix epoch. */
  startedAt: z.optional(time),
  endedAt: z.optional(time),
});

const partChoices = ['left-out', 'pinned'] as const;
/** Unknown choices of a later version are dropped. */
const storedPartChoice = known(partChoices, undefined);

export const storedPartChoices = z.array(
  z.object({ part: z.string(), choice: z.enum(partChoices) }),
);

/**
 * A preset of a chat. It only identifies the file: permissions come from the file when it is read,
 * never from data stored with a chat.
 */
export const storedPreset = z.object({
  /** True for a file in the user's own folder, false in the workspace. */
  isOwn: z.boolean(),
  /**
   * Identity of the workspace in which it was chosen: a file with the same path in another
   * workspace is a different preset. Empty if `isOwn`.
   */
  workspace: z.string(),
  path: z.string(),
  name: z.string(),
  /** The text of the file that the person last confirmed. */
  text: z.string(),
  /** The model that was selected before the preset replaced it. */
  instead: z.string(),
});

/** The end of a turn: see `TurnStatus`. */
const storedStatus = known(['finished', 'stopped', 'cut', 'failed'], 'cut');

/** A turn that has ended. It has no fields for pending approvals, grants or running calls. */
export const storedTurn = z.object({
  id: z.string(),
  question: storedMessage,
  model: z.string(),
  /** True in an imported chat: then the model is only a name, which nothing is sent to. */
  imported: z.optional(z.boolean()),
  status: storedStatus,
  parts: z.array(
    z.discriminatedUnion('type', [storedText, storedReasoning, storedToolCall, storedAddedMessage]),
  ),
  /** Time of sending, in milliseconds since the Unix epoch. */
  startedAt: time,
  endedAt: time,
  /** Time of the last start or continuation; `duration` has the time before. */
  runningSince: time,
  /** Running time in milliseconds, without the time between an end and a continuation. */
  duration: z.number(),
  /** The service's `finish_reason` (docs/service.md 2.2) of the last request. */
  finishReason: z.optional(z.string()),
  usage: z.optional(storedUsage),
  error: z.optional(storedError),
  /** Number of stream events that could not be parsed and were skipped. */
  malformedEvents: z.optional(z.number()),
  /** Number of places where saved records could not be read. */
  lostRecords: z.optional(z.number()),
  /** True if a JSON reply was requested (`response_format`). */
  json: z.optional(z.boolean()),
  /**
   * The oldest earlier turn that is sent with this one, if not all fit the context window; the id
   * of a summary if only that fits, and empty if nothing does.
   */
  firstSent: z.optional(z.string()),
  /**
   * The oldest earlier turn whose tool results are sent in full; empty if there is none. Results of
   * the turns before are one line each. Absent if all are sent in full.
   */
  shortResultsBefore: z.optional(z.string()),
  /** True if its requests have no tools although tools are available. */
  withoutTools: z.optional(z.boolean()),
  /** True if its model refused tools, so that a request was sent again without them. */
  toolsRefused: z.optional(z.boolean()),
  /** The mode that it began in; absent for Agent, and in imported chats. */
  mode: z.optional(z.enum(chatModes)),
  changes: z.optional(z.array(storedFileChange)),
});

/** The alternative paths after one turn, without the chosen path. */
const otherPaths = z.object({
  /** The turn that they follow; empty for the start of the conversation. */
  after: z.string(),
  /**
   * The first turns of all paths, oldest first. The newest is missing if it has always been chosen.
   */
  order: z.array(z.string()),
  /** Each has at least one turn, oldest first. The path that was visible last is at the end. */
  paths: z.array(z.array(storedTurn).check(z.minLength(1))),
});

export const storedPaths = z.array(otherPaths);

/** A text by a model that is sent in place of all turns up to `upTo`. */
export const storedSummary = z.object({
  id: z.string(),
  /** Bounded, since every request includes it. */
  text: z.string().check(z.maxLength(maxSummary)),
  /** The last turn that it covers. It is sent only if the chosen path includes that turn. */
  upTo: z.string(),
  model: z.string(),
  /** Time of writing, in milliseconds since the Unix epoch. */
  at: time,
  /** True while the messages are sent instead. */
  unused: z.optional(z.boolean()),
});

/** A pause of a turn until the person continues it. */
export const storedPause = z.object({
  /**
   * - `rounds`: the number of requests that `aside.tools.maxRounds` allows was reached
   * - `repeat`: the same call three times, or the same failing edit twice
   * - `tokens`, `money`: the turn has sent as many tokens, or cost as much, as its limit allows
   */
  reason: known(['rounds', 'repeat', 'tokens', 'money'], 'rounds'),
  tool: z.optional(z.string()),
});

/**
 * The schemas of the events that are stored. The types of `events.ts` are inferred from them. `at`
 * is in milliseconds since the Unix epoch by the host's clock.
 */

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
  /** A message of the person goes in with the next request of the turn. */
  z.object({
    type: z.literal('turn-message'),
    id: z.string(),
    message: storedMessage,
    at: z.number(),
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
  z.object({
    type: z.literal('turn-continue'),
    at: z.number(),
    /** The answer to a question that was open when the window closed. */
    answer: z.optional(z.object({ call: z.string(), result: z.string() })),
  }),
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
