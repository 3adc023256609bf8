import type {
  FileChange,
  Pause,
  UserMessage,
  RequestOptions,
  Retry,
  ToolCallPart,
  ToolOutcome,
  ApprovalRequest,
  Turn,
  TurnError,
} from './conversation.ts';
import type { Usage } from './usage.ts';

/**
 * Everything that can happen to a conversation. The host makes these, writes them to the journal
 * and posts them to the view; both sides apply them with `reduce`. `at` is in milliseconds since
 * the Unix epoch by the host's clock.
 */
export type ConversationEvent =
  | TurnStart
  | TurnContinue
  | TurnRemove
  | OptionsChange
  | RequestRetry
  | RequestStart
  | TextDelta
  | ReasoningDelta
  | ToolCallStart
  | ToolCallAsk
  | ToolCallRun
  | ToolCallOutput
  | ToolCallResult
  | ToolCallEnd
  | FilesChange
  | TurnPause
  | TurnResume
  | UsageReport
  | TurnEnd;

/** A question was sent. */
export interface TurnStart {
  readonly type: 'turn-start';
  readonly id: string;
  readonly question: UserMessage;
  readonly model: string;
  readonly json: boolean;
  readonly withoutTools?: boolean | undefined;
  readonly firstSent?: string | undefined;
  readonly at: number;
}

/** The newest turn, which had ended, goes on where its text stopped. */
interface TurnContinue {
  readonly type: 'turn-continue';
  readonly at: number;
}

/** The turn and all after it were taken back, to be asked again or differently. */
interface TurnRemove {
  readonly type: 'turn-remove';
  readonly id: string;
}

interface OptionsChange {
  readonly type: 'options-change';
  readonly options: RequestOptions;
}

/** An attempt failed and the next one waits. */
interface RequestRetry {
  readonly type: 'request-retry';
  readonly retry: Retry;
}

/** An attempt after a wait is on its way. */
interface RequestStart {
  readonly type: 'request-start';
}

interface TextDelta {
  readonly type: 'text-delta';
  readonly text: string;
  readonly at: number;
}

interface ReasoningDelta {
  readonly type: 'reasoning-delta';
  readonly text: string;
  readonly at: number;
}

/** The model called a function, and it will be carried out. */
interface ToolCallStart {
  readonly type: 'tool-call-start';
  readonly call: Pick<
    ToolCallPart,
    'id' | 'name' | 'arguments' | 'round' | 'title' | 'icon' | 'summary'
  >;
}

/** The call waits for a decision of the person. */
interface ToolCallAsk {
  readonly type: 'tool-call-ask';
  readonly id: string;
  readonly question: ApprovalRequest;
}

/** The call runs, or runs on after a decision. `grant` tells what let it run unasked. */
interface ToolCallRun {
  readonly type: 'tool-call-run';
  readonly id: string;
  readonly grant?: string | undefined;
  readonly at: number;
}

/** The call printed something, which follows on what it printed before. */
interface ToolCallOutput {
  readonly type: 'tool-call-output';
  readonly id: string;
  readonly text: string;
}

/** The call ended, with what the model is told of it. */
interface ToolCallResult {
  readonly type: 'tool-call-result';
  readonly id: string;
  readonly outcome: ToolOutcome;
  readonly result: string;
  readonly at: number;
}

/** A call that was shown and not carried out, since nothing runs from an incomplete reply. */
interface ToolCallEnd {
  readonly type: 'tool-call-end';
  readonly call: Pick<ToolCallPart, 'id' | 'name' | 'arguments' | 'icon' | 'summary'> & {
    readonly outcome: ToolOutcome;
  };
}

/** All files that a turn changed so far, in the place of what was known before. */
interface FilesChange {
  readonly type: 'files-change';
  readonly turn: string;
  readonly changes: readonly FileChange[];
}

/** The turn waits at a limit. */
interface TurnPause {
  readonly type: 'turn-pause';
  readonly pause: Pause;
}

/** The person let it go on. */
interface TurnResume {
  readonly type: 'turn-resume';
}

/** What one request used; comes once a request. */
interface UsageReport {
  readonly type: 'usage';
  readonly usage: Usage;
  /** True where the demo service answered, which costs nothing. */
  readonly demo?: boolean | undefined;
}

export interface TurnEnd {
  readonly type: 'turn-end';
  readonly status: Extract<Turn['status'], 'finished' | 'stopped' | 'cut' | 'failed'>;
  readonly finishReason?: string | undefined;
  readonly malformedEvents?: number | undefined;
  readonly error?: TurnError | undefined;
  readonly at: number;
}

type TextEvent = Extract<
  ConversationEvent,
  { type: 'text-delta' | 'reasoning-delta' | 'tool-call-output' }
>;

/** Whether an event brings more of a text that goes on, and may come many times a second. */
export function isTextEvent(event: ConversationEvent): event is TextEvent {
  const { type } = event;
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-output';
}

/**
 * Appends an event to those that wait, joining text that follows on text: a slow reader gets one
 * long delta instead of many short ones, and reducing them gives the same conversation.
 */
export function pushEvent(waiting: ConversationEvent[], event: ConversationEvent): void {
  const last = waiting.at(-1);
  if (isTextEvent(event) && last !== undefined && isTextEvent(last) && isSameText(last, event))
    waiting[waiting.length - 1] = { ...last, text: last.text + event.text };
  else waiting.push(event);
}

function isSameText(one: TextEvent, other: TextEvent): boolean {
  if (one.type === 'tool-call-output' || other.type === 'tool-call-output')
    return one.type === other.type && 'id' in one && 'id' in other && one.id === other.id;
  return one.type === other.type;
}
