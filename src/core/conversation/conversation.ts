import type { Usage } from './usage.ts';

/**
 * A chat: what was asked and answered. Plain data that only `reduce` changes; the same value is
 * shown in the view, written to the journal and turned into the next request.
 */
export interface Conversation {
  readonly id: string;
  /** The options of this chat; what is absent follows the settings. */
  readonly options: RequestOptions;
  /** Turns that came to an end, oldest first. */
  readonly turns: readonly Turn[];
  /**
   * The turn that is still going on, always the newest. It is kept apart so that a text delta
   * touches this one value however long the conversation is.
   */
  readonly running: Turn | undefined;
  /** What was used so far, by model: also by turns that were taken back, since it is paid. */
  readonly usage: Readonly<Record<string, Usage>>;
  /** What the demo service used, by model: nobody pays for it. */
  readonly demoUsage?: Readonly<Record<string, Usage>> | undefined;
}

/** One question and everything that answers it, over as many requests as that takes. */
export interface Turn {
  readonly id: string;
  readonly question: UserMessage;
  /** Identifier of the model that was asked. */
  readonly model: string;
  readonly status: TurnStatus;
  readonly parts: readonly Part[];
  /** When the question was sent, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /** When it began to run, or to run on; the time before that is in `duration`. */
  readonly runningSince: number;
  /** Milliseconds that it has run, without the time between an end and going on from it. */
  readonly duration: number;
  /** The service's `finish_reason` (section 2.2) of the last request. */
  readonly finishReason?: string | undefined;
  /** Summed over the requests of the turn. */
  readonly usage?: Usage | undefined;
  /** The wait before the next attempt, while the status is `retrying`. */
  readonly retry?: Retry | undefined;
  /** Why the turn failed or was cut. */
  readonly error?: TurnError | undefined;
  /** How many pieces of the reply could not be read and were left out. */
  readonly malformedEvents?: number | undefined;
  /** True while the text of an ended turn goes on. */
  readonly continued?: boolean | undefined;
  /** True when the reply was asked for as JSON (`response_format`). */
  readonly json?: boolean | undefined;
  /**
   * The oldest turn that goes along with it, where not all of them fit the model's context window;
   * empty where none does.
   */
  readonly firstSent?: string | undefined;
  /** True when it was asked for without tools, though there are some. */
  readonly withoutTools?: boolean | undefined;
  /** The limit at which it waits, while the status is `paused`. */
  readonly pause?: Pause | undefined;
  /** The files that it changed, in the order in which they were first changed. */
  readonly changes?: readonly FileChange[] | undefined;
}

/**
 * - `waiting`: sent, nothing came yet; `retrying`: waiting for the next attempt; `streaming`
 * - `calling`: tools are at work, see the parts; `paused`: at a limit, until the person lets it go on
 * - `finished`: ended with a finish reason; `stopped`: by the person
 * - `cut`: something came, then the connection broke or timed out; `failed`: nothing came
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

export interface UserMessage {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** What an attachment is of. */
export type AttachmentKind =
  'file' | 'folder' | 'symbol' | 'selection' | 'problems' | 'changes' | 'terminal';

/** Text that goes along with a question, as it was when it was attached. */
export interface Attachment {
  readonly id: string;
  /** Absent for a file or lines of one in chats of earlier versions. */
  readonly kind?: AttachmentKind | undefined;
  /** What its chip says, for example `app.ts:3-9`. */
  readonly name: string;
  /** Path as the person knows it, relative to the workspace where it lies in one. */
  readonly path: string;
  /** VS Code's language identifier. */
  readonly language: string;
  /** First and last line, counted from 1; absent for a whole file. */
  readonly range?: { readonly start: number; readonly end: number } | undefined;
  readonly text: string;
}

/** A piece of an answer, in the order in which they came. */
export type Part = TextPart | ReasoningPart | ToolCallPart;

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** What the model wrote before it answered. Never sent back to it. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly startedAt: number;
  /** Absent while it goes on. */
  readonly endedAt?: number | undefined;
}

/** A function that the model called, from the moment at which its request was whole. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** Unique in its turn: made up where the model sent none, or one that was there already. */
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
  /** Which request of the turn asked for it, from 1: the calls of a round belong to one message. */
  readonly round: number;
  /** What it does, in words that a person uses; absent where it could not be understood. */
  readonly title?: string | undefined;
  /** The codicon of its tool; absent where there is no such tool, and in chats of earlier versions. */
  readonly icon?: string | undefined;
  /** How it is told together with others like it; absent where `icon` is. */
  readonly summary?: CallSummary | undefined;
  readonly status: ToolCallStatus;
  /** What waits for the person's decision, while the status is `asking`. */
  readonly question?: ApprovalRequest | undefined;
  /** What it printed so far; bounded. */
  readonly output?: string | undefined;
  /** What the model was told. Absent until it ended, and for a call that was not carried out. */
  readonly result?: string | undefined;
  /** Under which grant it ran without a question, in words for the person. */
  readonly grant?: string | undefined;
  /** When it began to run, in milliseconds since the Unix epoch. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** How several calls are told in one line, in the person's language. */
export interface CallSummary {
  /**
   * With `{0}` for their number: `Read {0} files`. Calls of the same words are told together,
   * whichever tools they are of.
   */
  readonly many: string;
  /** Counts what the calls are about, each thing once, in place of the calls. */
  readonly distinct?:
    | {
        /** Which of the arguments names the thing: `path`. */
        readonly argument: string;
        /** For several calls about one thing: `Read 1 file`. */
        readonly one: string;
      }
    | undefined;
}

/** How a call ended: `denied` by the person or by the policy, `stopped` before it was done. */
export type ToolOutcome = 'done' | 'failed' | 'denied' | 'stopped';

/** `waiting` for others before it, `asking` the person, `running`, or how it ended. */
export type ToolCallStatus = 'waiting' | 'asking' | 'running' | ToolOutcome;

/** A decision that a call waits for. */
export interface ApprovalRequest {
  /** Where it is decided: in the panel, or in a dialog of VS Code, where the view has no say. */
  readonly by: 'panel' | 'dialog';
  /** Whether "Allow in This Chat" is offered. Only for a question of the panel. */
  readonly forChat: boolean;
  /** The files that it would change, for a question of the panel. */
  readonly files: readonly ChangedFile[];
}

/** A file that is changed, and by how much. */
interface ChangedFile {
  /** As the person knows it. */
  readonly path: string;
  readonly kind: 'edit' | 'create';
  readonly addedLines: number;
  readonly removedLines: number;
}

/** A file that a turn changed. */
export interface FileChange extends ChangedFile {
  /** Unique in its turn. */
  readonly id: string;
  /** `changed` until the person keeps it or takes it back. */
  readonly status: 'changed' | 'kept' | 'undone';
}

/** Why a turn waits for the person to let it go on. */
export interface Pause {
  /**
   * - `rounds`: as many requests as `aside.tools.maxRounds` allows
   * - `repeat`: the same call three times, or the same failing edit twice
   */
  readonly reason: 'rounds' | 'repeat';
  /** What is repeated: the name of the tool. */
  readonly tool?: string | undefined;
}

export interface Retry {
  /** Number of the attempt about to start, and of how many. */
  readonly attempt: number;
  readonly attempts: number;
  /** When it starts, in milliseconds since the Unix epoch by the host's clock. */
  readonly resumeAt: number;
  readonly error: TurnError;
}

/** An error as data: a kind (see `core/service/errors`), and the words that were shown for it. */
export interface TurnError {
  readonly kind: string;
  /** What happened and what to do, in the person's language. */
  readonly message: string;
  /** The button that helps, where one does. */
  readonly remedy?: Remedy | undefined;
}

export type Remedy =
  | 'set-api-key'
  | 'select-model'
  | 'open-console'
  | 'try-again'
  | 'connect'
  /** The request had tools, and may be accepted without them. */
  | 'without-tools';

/** Request parameters of section 4.1 that a person may choose; what is absent is not sent. */
export interface RequestOptions {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  /** True asks for a JSON reply (`response_format`). */
  readonly json?: boolean | undefined;
}

/** A conversation in which nothing was said yet. */
export function emptyConversation(id: string): Conversation {
  return { id, options: {}, turns: [], running: undefined, usage: {} };
}

/** The newest turn, running or not. */
export function lastTurn(conversation: Conversation): Turn | undefined {
  return conversation.running ?? conversation.turns.at(-1);
}

/**
 * The turn that is going on.
 * @throws where none is
 */
export function runningTurn({ running }: Conversation): Turn {
  if (running === undefined) throw new Error('No turn is running.');
  return running;
}

/** The text of an answer, without reasoning and tool calls. */
export function turnText({ parts }: Pick<Turn, 'parts'>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Whether the turn has text that a further request could go on from. */
export function canContinue(turn: Turn): boolean {
  const incomplete =
    turn.status === 'stopped' || turn.status === 'cut' || turn.finishReason === 'length';
  return incomplete && turnText(turn) !== '';
}
