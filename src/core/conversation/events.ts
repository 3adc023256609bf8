import type {
  Question,
  RequestOptions,
  Retry,
  ToolCallPart,
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
  | ToolCallEnd
  | UsageReport
  | TurnEnd;

/** A question was sent. */
interface TurnStart {
  readonly type: 'turn-start';
  readonly id: string;
  readonly question: Question;
  readonly model: string;
  readonly json: boolean;
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

/** A tool call is complete and was dealt with. */
interface ToolCallEnd {
  readonly type: 'tool-call-end';
  readonly call: Omit<ToolCallPart, 'type'>;
}

/** What one request used; comes once a request. */
interface UsageReport {
  readonly type: 'usage';
  readonly usage: Usage;
}

export interface TurnEnd {
  readonly type: 'turn-end';
  readonly status: Extract<Turn['status'], 'finished' | 'stopped' | 'cut' | 'failed'>;
  readonly finishReason?: string | undefined;
  readonly malformedEvents?: number | undefined;
  readonly error?: TurnError | undefined;
  readonly at: number;
}
