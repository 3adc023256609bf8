import type { ImageType } from '../support/image.ts';
import type { PartChoices } from './partChoices.ts';
import type { Usage } from './usage.ts';

/**
 * A chat: its messages and replies. They are a tree, since a message that is sent again, or edited,
 * follows the same turn as before; `turns` is the path through it that is shown and sent. Plain
 * data that only `reduce` changes; the same value is shown in the view, written to the journal and
 * turned into the next request.
 */
export interface Conversation {
  readonly id: string;
  /** The options of this chat. Settings apply to those that are absent. */
  readonly options: RequestOptions;
  /** The ended turns of the chosen path, oldest first. */
  readonly turns: readonly Turn[];
  /**
   * The ended turns beside the chosen path. Absent if no message was ever sent again, and in the
   * view.
   */
  readonly others?: readonly OtherPaths[] | undefined;
  /**
   * The running turn, always the newest. It is kept separately so that a text delta updates only
   * this value, however long the conversation is.
   */
  readonly running: Turn | undefined;
  /**
   * Turns with the same message as the newest one, sent to other models at the same time. They run
   * side by side with it, and stay beside it until one of them is chosen. Present only until then.
   */
  readonly compared?: readonly Turn[] | undefined;
  /** Summaries of its messages, in the order in which they were written. */
  readonly summaries?: readonly Summary[] | undefined;
  /** Parts of the next request that the person left out or pinned. Absent if there are none. */
  readonly partChoices?: PartChoices | undefined;
  /** The preset that the person chose for the chat. */
  readonly preset?: ChosenPreset | undefined;
  /** Usage by model, of all turns: those beside the chosen path were paid for, too. */
  readonly usage: Readonly<Record<string, Usage>>;
  /** Usage of the demo service by model, which costs nothing. */
  readonly demoUsage?: Readonly<Record<string, Usage>> | undefined;
  /** The name that the person gave to the chat. */
  readonly title?: string | undefined;
  /** True if the person pinned the chat. */
  readonly pinned?: boolean | undefined;
  /**
   * Usage by model of a chat that was imported, as its file says: it is shown, and counts in no
   * budget. Present in every imported chat, since nobody may have read its content.
   */
  readonly importedUsage?: Readonly<Record<string, Usage>> | undefined;
}

/**
 * A preset of a chat. It only identifies the file, whose permissions are decided when it is read,
 * and not by data stored with a chat.
 */
export interface ChosenPreset {
  /** True if it is in the person's own folder, and not in the workspace. */
  readonly isOwn: boolean;
  /**
   * The identity of the workspace in which it was chosen: a file of the same path in another one is
   * not what the person chose. Empty for an own one.
   */
  readonly workspace: string;
  /** The path of the file as the person sees it. */
  readonly path: string;
  readonly name: string;
  /** The text of the file that the person last saw. */
  readonly text: string;
  /** The model that was selected before, which the preset's replaces. */
  readonly instead: string;
}

/** A text by a model that is sent in place of all turns up to one of them. */
export interface Summary {
  readonly id: string;
  readonly text: string;
  /** The last turn that it stands for. It is sent only if the path leads through that turn. */
  readonly upTo: string;
  /** The model that wrote it. */
  readonly model: string;
  /** Time of writing, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** True while the messages are sent instead. */
  readonly unused?: boolean | undefined;
}

/** The paths that lead on from one turn, without the chosen one. */
export interface OtherPaths {
  /** The turn that they follow; empty for the start of the conversation. */
  readonly after: string;
  /**
   * The first turns of all paths, the oldest first. The newest is missing if it was chosen ever
   * since.
   */
  readonly order: readonly string[];
  /** Each with at least one turn, oldest first; the path that was left last is the last. */
  readonly paths: readonly (readonly Turn[])[];
}

/** A message and the whole reply to it, over as many requests as that takes. */
export interface Turn {
  readonly id: string;
  readonly question: UserMessage;
  /** Identifier of the model that the message was sent to. */
  readonly model: string;
  readonly status: TurnStatus;
  readonly parts: readonly Part[];
  /** Time of sending, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /** Time of the last start or resume; earlier running time is in `duration`. */
  readonly runningSince: number;
  /** Milliseconds that the turn has run, without the time between an end and its continuation. */
  readonly duration: number;
  /** The service's `finish_reason` (section 2.2) of the last request. */
  readonly finishReason?: string | undefined;
  /** Total usage of the turn's requests. */
  readonly usage?: Usage | undefined;
  /** Estimated usage of the request that is running, which is not part of any sum yet. */
  readonly unsettled?: UnsettledUsage | undefined;
  /** The pending retry, while the status is `retrying`. */
  readonly retry?: Retry | undefined;
  /** The error with which the turn failed or was cut off. */
  readonly error?: TurnError | undefined;
  /** Number of stream events that could not be parsed and were skipped. */
  readonly malformedEvents?: number | undefined;
  /** Number of places at which saved records could not be read. */
  readonly lostRecords?: number | undefined;
  /** True for a turn that had ended and continues, until there is more of its text or a call. */
  readonly continued?: boolean | undefined;
  /** True if a JSON reply was requested (`response_format`). */
  readonly json?: boolean | undefined;
  /**
   * The oldest earlier turn that is sent with this one, if they don't all fit the model's context
   * window; the id of a summary if only that does, and empty if nothing does.
   */
  readonly firstSent?: string | undefined;
  /**
   * The oldest earlier turn whose tool results are sent in full; empty if none is. Results of the
   * turns before are one line each. Absent if all are sent in full.
   */
  readonly shortResultsBefore?: string | undefined;
  /** The choices about parts when it began, which all its requests follow. Absent without any. */
  readonly partChoices?: PartChoices | undefined;
  /** True if its requests are sent without tools although tools are available. */
  readonly withoutTools?: boolean | undefined;
  /** The limit that was reached, while the status is `paused`. */
  readonly pause?: Pause | undefined;
  /** Files that the turn changed, in the order of their first change. */
  readonly changes?: readonly FileChange[] | undefined;
  /** The files that were restored before its message was sent again. */
  readonly fileRestore?: FileRestore | undefined;
}

/** Usage of a request whose end is not known yet. */
export interface UnsettledUsage {
  readonly usage: Usage;
  readonly demo?: boolean | undefined;
  /** Characters (UTF-16 units) of the reply that were received since the request was sent. */
  readonly received?: number | undefined;
}

/**
 * - `waiting`: sent, nothing received yet; `retrying`: waiting for the next attempt; `streaming`
 * - `calling`: tools are running, see the parts; `paused`: at a limit, until the person continues
 * - `finished`: ended with a finish reason; `stopped`: by the person
 * - `cut`: part of the reply was received, then the connection broke or timed out; `failed`:
 *   nothing was received
 */
type TurnStatus =
  | 'waiting'
  | 'retrying'
  | 'streaming'
  | 'calling'
  | 'paused'
  | 'finished'
  | 'stopped'
  | 'cut'
  | 'failed';

/** A message that the person sent. */
export interface UserMessage {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** The source of an attachment. */
export type AttachmentKind =
  | 'file'
  | 'folder'
  | 'symbol'
  | 'selection'
  | 'problems'
  | 'changes'
  | 'terminal'
  | 'pasted'
  | 'image';

/** Text that is sent with a message, as it was when it was attached. */
export interface Attachment {
  readonly id: string;
  /** Absent in chats of earlier versions, for a file or for lines of one. */
  readonly kind?: AttachmentKind | undefined;
  /** The label of its chip, for example `app.ts:3-9`. */
  readonly name: string;
  /** Path shown to the person, relative to the workspace if it is inside one. */
  readonly path: string;
  /** VS Code's language identifier. */
  readonly language: string;
  /** First and last line, counted from 1; absent for a whole file. */
  readonly range?: { readonly start: number; readonly end: number } | undefined;
  /** Empty for an image. */
  readonly text: string;
  /** Present for an image. */
  readonly image?: AttachedImage | undefined;
}

/** An image, whose bytes are in a file beside the journal of the chat. */
export interface AttachedImage {
  readonly type: ImageType;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, by which the file is found. */
  readonly hash: string;
  /** True for the bytes of a file as they are, with all that a camera notes in them. */
  readonly isOriginal?: boolean | undefined;
}

/** A part of a reply, in the order in which the parts were received. */
export type Part = TextPart | ReasoningPart | ToolCallPart;

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** The model's reasoning. Never sent back to the model. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly startedAt: number;
  /** Absent while the reasoning is streaming. */
  readonly endedAt?: number | undefined;
}

/** A tool call, created once its request is complete. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** Unique within its turn; generated if the model sent no id or reused one. */
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as the model wrote it. */
  readonly arguments: string;
  /**
   * Number of the request of the turn that called it, from 1. Calls of the same round belong to one
   * message.
   */
  readonly round: number;
  /** The call in words for the person; absent if its arguments were not understood. */
  readonly title?: string | undefined;
  /** The codicon of its tool; absent without such a tool, and in chats of earlier versions. */
  readonly icon?: string | undefined;
  /** Label for a group of similar calls, such as "Read 3 files"; absent if `icon` is. */
  readonly summary?: CallSummary | undefined;
  readonly status: ToolCallStatus;
  /** The pending approval, while the status is `asking`. */
  readonly question?: ApprovalRequest | undefined;
  /** Output so far, limited in length. */
  readonly output?: string | undefined;
  /**
   * The result that is sent to the model. Absent until the call ends, and for a call that was not
   * run.
   */
  readonly result?: string | undefined;
  /** The reason why the person denied it, which the result has too. */
  readonly denialReason?: string | undefined;
  /** The grant that allowed it to run without asking, in words for the person. */
  readonly grant?: string | undefined;
  /** Start of the run, in milliseconds since the Unix epoch. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** The words for several calls in one line, in the person's language. */
export interface CallSummary {
  /**
   * Label with `{0}` for their number: `Read {0} files`. Calls with the same words are counted
   * together, even if they are calls of different tools.
   */
  readonly many: string;
  /** Counts distinct values of an argument instead of calls. */
  readonly distinct?:
    | {
        /** The name of the argument, for example `path`. */
        readonly argument: string;
        /** Label of several calls with one value: `Read 1 file`. */
        readonly one: string;
      }
    | undefined;
}

/** The outcome of a call: `denied` by the person or by the policy, `stopped` before it finished. */
export type ToolOutcome = 'done' | 'failed' | 'denied' | 'stopped';

/** `waiting` for earlier calls, `asking` for approval, `running`, or how it ended. */
export type ToolCallStatus = 'waiting' | 'asking' | 'running' | ToolOutcome;

/** A pending approval of a tool call. */
export interface ApprovalRequest {
  /**
   * The place to respond in: the panel, or a VS Code dialog, which the view cannot answer.
   */
  readonly by: 'panel' | 'dialog';
  /** True if "Allow in This Chat" is offered. Only for approvals in the panel. */
  readonly forChat: boolean;
  /** The files that the call would change, for approvals in the panel. */
  readonly files: readonly ChangedFile[];
}

/** A changed file, with line counts. */
interface ChangedFile {
  /** Path shown to the person. */
  readonly path: string;
  readonly kind: 'edit' | 'create';
  readonly addedLines: number;
  readonly removedLines: number;
}

/** A file that a turn changed. */
export interface FileChange extends ChangedFile {
  /** Unique within its turn. */
  readonly id: string;
  /** `changed` until the person keeps or undoes the change, and again when it is redone. */
  readonly status: 'changed' | 'kept' | 'undone';
}

/** Files that were restored to their state before a message, when that was sent again. */
export interface FileRestore {
  /** Key of the stored texts from before. */
  readonly id: string;
  /** The turns whose changes were undone, oldest first. */
  readonly turns: readonly string[];
  /** The paths of the restored files, as displayed. */
  readonly files: readonly string[];
  /**
   * The paths of files that were left as they are, since somebody else has changed them: when they
   * were to be restored, or when that was undone.
   */
  readonly left: readonly string[];
  /** `restored` until the person undoes it, and again when it is redone. */
  readonly status: 'restored' | 'undone';
}

/** A pause of a turn, which waits for the person to continue it. */
export interface Pause {
  /**
   * - `rounds`: the number of requests that `aside.tools.maxRounds` allows was reached
   * - `repeat`: the same call three times, or the same failing edit twice
   */
  readonly reason: 'rounds' | 'repeat';
  /** Name of the tool whose call is repeated. */
  readonly tool?: string | undefined;
}

/** A scheduled retry of a failed request. */
export interface Retry {
  /** Number of the next attempt, and the maximum number of attempts. */
  readonly attempt: number;
  readonly attempts: number;
  /** Start of the next attempt, in milliseconds since the Unix epoch by the host's clock. */
  readonly resumeAt: number;
  readonly error: TurnError;
}

/**
 * A serializable error: its kind (see `core/service/errors`) and the message that was shown for it.
 */
export interface TurnError {
  readonly kind: string;
  /** The problem and its remedy, in the display language. */
  readonly message: string;
  /** The action offered for it, if there is one. */
  readonly remedy?: Remedy | undefined;
}

/** An action that is offered for an error. */
export type Remedy =
  | 'set-api-key'
  | 'select-model'
  | 'open-console'
  | 'try-again'
  | 'connect'
  | 'new-chat'
  | 'raise-budget'
  /** The budget of the chat, which a new chat has, too. */
  | 'raise-chat-budget'
  /** The request had tools and may be accepted without them. */
  | 'without-tools';

/** Request parameters of section 4.1 that a person can set; absent ones are not sent. */
export interface RequestOptions {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  /** True asks for a JSON reply (`response_format`). */
  readonly json?: boolean | undefined;
  /** True sends messages of this chat without tools. */
  readonly withoutTools?: boolean | undefined;
}

/** A conversation without turns. */
export function emptyConversation(id: string): Conversation {
  return { id, options: {}, turns: [], running: undefined, usage: {} };
}

/** The newest turn, whether it is running or ended. */
export function lastTurn(conversation: Conversation): Turn | undefined {
  return conversation.running ?? conversation.turns.at(-1);
}

/**
 * The running turn.
 * @throws if no turn is running
 */
export function runningTurn({ running }: Conversation): Turn {
  if (running === undefined) throw new Error('No turn is running.');
  return running;
}

/** The text of a reply, without reasoning and tool calls. */
export function turnText({ parts }: Pick<Turn, 'parts'>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * True if the turn is incomplete and a further request could continue it: after the text received,
 * or after the tool calls, whose results are sent even if some of them were stopped.
 */
export function canContinue({ status, finishReason, parts }: Turn): boolean {
  const incomplete = status === 'stopped' || status === 'cut' || finishReason === 'length';
  return incomplete && parts.some(isSent);
}

function isSent(part: Part): boolean {
  return part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== '');
}
