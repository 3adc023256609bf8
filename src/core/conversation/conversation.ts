import type {
  Stored,
  storedAddedMessage,
  storedApproval,
  storedError,
  storedFileChange,
  storedFileRestore,
  storedMessage,
  storedOptions,
  storedOutcome,
  storedPaths,
  storedPause,
  storedPreset,
  storedProcess,
  storedReasoning,
  storedRetry,
  storedSummary,
  storedToolCall,
  storedTurn,
} from './conversationSchema.ts';
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
   * The ended turns off the chosen path. Undefined if no message was ever sent again, and always in
   * the view.
   */
  readonly others?: readonly OtherPaths[] | undefined;
  /**
   * The running turn, always the newest. It is separate so that a text delta updates only this
   * value, however long the conversation is.
   */
  readonly running: Turn | undefined;
  /** Summaries of its messages, in the order in which they were written. */
  readonly summaries?: readonly Summary[] | undefined;
  readonly partChoices?: PartChoices | undefined;
  readonly preset?: ChosenPreset | undefined;
  /** Usage by model, of all turns: turns off the chosen path were paid for, too. */
  readonly usage: Readonly<Record<string, Usage>>;
  readonly demoUsage?: Readonly<Record<string, Usage>> | undefined;
  readonly title?: string | undefined;
  readonly pinned?: boolean | undefined;
  /**
   * Usage by model of an imported chat, as stated by its file. It is displayed but counts in no
   * budget. Present in every imported chat, as its content may never have been read.
   */
  readonly importedUsage?: Readonly<Record<string, Usage>> | undefined;
}

export type ChosenPreset = Stored<typeof storedPreset>;
export type Summary = Stored<typeof storedSummary>;
export type RunningProcess = Stored<typeof storedProcess>;

export interface OtherPaths extends Omit<Stored<typeof storedPaths>[number], 'paths'> {
  readonly paths: readonly (readonly Turn[])[];
}

type EndedTurn = Stored<typeof storedTurn>;

/** A message and the whole reply to it, which may take several requests. */
export interface Turn extends Omit<EndedTurn, 'status' | 'parts' | 'endedAt'> {
  readonly status: TurnStatus;
  readonly parts: readonly Part[];
  readonly endedAt?: number | undefined;
  /** Estimated usage of the running request, which no sum includes yet. */
  readonly unsettled?: UnsettledUsage | undefined;
  /** The pending retry, while the status is `retrying`. */
  readonly retry?: Retry | undefined;
  /** True for a turn that had ended and continues, until it gets more text or a call. */
  readonly continued?: boolean | undefined;
  /** The choices about parts when it began. All of its requests follow them. */
  readonly partChoices?: PartChoices | undefined;
  /** The limit that was reached, while the status is `paused`. */
  readonly pause?: Pause | undefined;
  readonly fileRestore?: FileRestore | undefined;
}

/** Usage of a request that has not ended. */
export interface UnsettledUsage {
  readonly usage: Usage;
  readonly demo?: boolean | undefined;
  /** Characters (UTF-16 units) of the reply received since the request was sent. */
  readonly received?: number | undefined;
}

/**
 * - `waiting`: sent, nothing received yet; `retrying`: waiting for the next attempt; `streaming`
 * - `calling`: tools are running, see the parts; `paused`: at a limit, until the person continues
 * - `finished`: ended with a finish reason; `stopped`: by the person
 * - `cut`: part of the reply was received, then the connection broke or timed out; `failed`:
 *   nothing was received
 */
type TurnStatus = 'waiting' | 'retrying' | 'streaming' | 'calling' | 'paused' | EndedTurn['status'];

export type UserMessage = Stored<typeof storedMessage>;
export type Attachment = UserMessage['attachments'][number];
export type AttachmentKind = NonNullable<Attachment['kind']>;
export type AttachedImage = NonNullable<Attachment['image']>;

/** A part of a reply, or a message that was added to its turn, in their order. */
export type Part = TextPart | ReasoningPart | ToolCallPart | AddedMessage;

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export type ReasoningPart = Stored<typeof storedReasoning>;
export type AddedMessage = Stored<typeof storedAddedMessage>;

/** A tool call, created when the model has written it in full. */
export interface ToolCallPart extends Omit<Stored<typeof storedToolCall>, 'status'> {
  readonly status: ToolCallStatus;
  /** The pending approval, or that its question is open, while the status is `asking`. */
  readonly question?: ApprovalRequest | undefined;
  /** The grant that allowed it to run without asking, as displayed. */
  readonly grant?: string | undefined;
}

export type CallSummary = NonNullable<ToolCallPart['summary']>;
export type ToolOutcome = Stored<typeof storedOutcome>;
/** `waiting` for earlier calls, `asking` for approval or an answer, `running`, or an outcome. */
export type ToolCallStatus = 'waiting' | 'asking' | 'running' | ToolOutcome;
export type ApprovalRequest = Stored<typeof storedApproval>;
export type FileChange = Stored<typeof storedFileChange>;
export type FileRestore = Stored<typeof storedFileRestore>;
export type Pause = Stored<typeof storedPause>;
export type Retry = Stored<typeof storedRetry>;
export type TurnError = Stored<typeof storedError>;
/** An action that is offered for an error. */
export type Remedy = NonNullable<TurnError['remedy']>;
export type RequestOptions = Stored<typeof storedOptions>;

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

/** Number of requests of a turn with tool calls. */
export function countOfRounds({ parts }: Turn): number {
  return Math.max(0, ...parts.map((part) => (part.type === 'tool-call' ? part.round : 0)));
}

/** The messages of the person in a turn: the one that began it, and those that were added to it. */
export function messagesOf({
  question,
  parts,
}: Pick<Turn, 'question' | 'parts'>): readonly UserMessage[] {
  return [question, ...parts.flatMap((part) => (part.type === 'message' ? [part.message] : []))];
}

/** What the person attached to the messages of a turn. */
export function attachmentsOf(turn: Pick<Turn, 'question' | 'parts'>): readonly Attachment[] {
  return messagesOf(turn).flatMap(({ attachments }) => attachments);
}

/** False if a turn sends no tools, so that it has one request only. */
export function mayHaveTools({ withoutTools, toolsRefused }: Turn): boolean {
  return withoutTools !== true && toolsRefused !== true;
}

/** The text of a part as a person reads it: that of a call is its title and its arguments. */
export function partText(part: Part): string {
  if (part.type === 'tool-call') return `${part.title ?? part.name}\n${part.arguments}`;
  return part.type === 'message' ? part.message.text : part.text;
}

/** The text of a reply, without reasoning and tool calls. */
export function turnText({ parts }: { readonly parts: readonly Part[] }): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * True if the turn is incomplete and another request could continue it: after the text received, or
 * after the tool calls, whose results are sent even if some of them were stopped. An imported turn
 * can't go on, as the person did not choose its model.
 */
export function canContinue({ imported, status, finishReason, parts }: Turn): boolean {
  if (imported === true) return false;
  const incomplete = status === 'stopped' || status === 'cut' || finishReason === 'length';
  return (
    incomplete &&
    parts.some(
      (part) => part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== ''),
    )
  );
}
