import type {
  ChosenPreset,
  FileChange,
  FileRestore,
  OtherPaths,
  Pause,
  UserMessage,
  RequestOptions,
  Retry,
  Summary,
  ToolCallPart,
  ToolOutcome,
  ApprovalRequest,
  Turn,
  TurnError,
} from './conversation.ts';
import type { PartChoice } from './partChoices.ts';
import type { Usage } from './usage.ts';

/**
 * Everything that can happen to a conversation. The host creates the events, writes them to the
 * journal and posts them to the view; both sides apply them with `reduce`. `at` is in milliseconds
 * since the Unix epoch by the host's clock.
 */
export type ConversationEvent =
  | TurnStart
  | TurnContinue
  | TurnRemove
  | VersionSelect
  | OptionsChange
  | PartChoiceChange
  | PresetChange
  | TitleChange
  | PinChange
  | ChatShorten
  | SummaryUse
  | ChatUsage
  | ChatImport
  | TurnImport
  | ComparedTurnStart
  | ComparedTurnEvent
  | FilesChange
  | FilesRestore
  | RecordLoss
  | TurnEvent;

/** An event of a running turn. */
export type TurnEvent =
  | RequestRetry
  | RequestStart
  | RequestSent
  | TextDelta
  | ReasoningDelta
  | ToolCallStart
  | ToolCallAsk
  | ToolCallRun
  | ToolCallOutput
  | ToolCallResult
  | ToolCallEnd
  | TurnPause
  | TurnResume
  | UsageReport
  | TurnEnd;

/** A message was sent. */
export interface TurnStart {
  readonly type: 'turn-start';
  readonly id: string;
  readonly question: UserMessage;
  readonly model: string;
  readonly json: boolean;
  readonly withoutTools?: boolean | undefined;
  readonly firstSent?: string | undefined;
  readonly shortResultsBefore?: string | undefined;
  /**
   * The turn that it follows; empty for the first. The path is led there if a record about it was
   * lost. Absent in chats of earlier versions.
   */
  readonly after?: string | undefined;
  readonly at: number;
}

/** The newest turn, which had ended, continues where its text stopped. */
interface TurnContinue {
  readonly type: 'turn-continue';
  readonly at: number;
}

/**
 * The path ends before the turn, because its message is sent again or was edited. The turn and all
 * later ones become another path; earlier versions of Aside removed them. A running turn without a
 * reply is removed.
 */
interface TurnRemove {
  readonly type: 'turn-remove';
  readonly id: string;
  /** True if its message was moved into another chat: then the newest turn is removed. */
  readonly moved?: boolean | undefined;
}

/** Another version of a message or a reply was chosen: the path leads through this turn. */
interface VersionSelect {
  readonly type: 'version-select';
  readonly turn: string;
}

interface OptionsChange {
  readonly type: 'options-change';
  readonly options: RequestOptions;
}

/** The person excluded parts of the next request, pinned them, or undid that. */
interface PartChoiceChange {
  readonly type: 'part-choice';
  /** Their keys: see `partKey`. */
  readonly parts: readonly string[];
  /** Absent if an earlier choice is removed. */
  readonly choice?: PartChoice | undefined;
}

/** The person chose a preset for the chat, or removed it. */
interface PresetChange {
  readonly type: 'preset-change';
  /** Absent if it was removed. */
  readonly preset?: ChosenPreset | undefined;
}

/** The person named the chat. */
interface TitleChange {
  readonly type: 'title-change';
  /** Empty for the default: the first line of the chat. */
  readonly title: string;
}

interface PinChange {
  readonly type: 'pin-change';
  readonly pinned: boolean;
}

/** A summary takes the place of the turns that it stands for. */
export interface ChatShorten {
  readonly type: 'chat-shorten';
  readonly summary: Summary;
  /** Tokens that writing it used. Absent where they count elsewhere: in a file, in a fork. */
  readonly usage?: Usage | undefined;
  /** True for the demo service. */
  readonly demo?: boolean | undefined;
}

/** The messages are sent again in place of a summary, or the summary again in their place. */
interface SummaryUse {
  readonly type: 'summary-use';
  readonly summary: string;
  readonly used: boolean;
}

/** Usage of a request of the chat that belongs to none of its turns. */
export interface ChatUsage {
  readonly type: 'chat-usage';
  readonly model: string;
  readonly usage: Usage;
  /** True for the demo service. */
  readonly demo?: boolean | undefined;
}

/** The first event of a chat that was read from a file, and of a fork of one. */
interface ChatImport {
  readonly type: 'chat-import';
  /** Usage by model, as the file says. */
  readonly usage: Readonly<Record<string, Usage>>;
  /** The turns beside the chosen path. */
  readonly others?: readonly OtherPaths[] | undefined;
}

/** A turn of a file. It has ended, and nothing of it runs again. */
interface TurnImport {
  readonly type: 'turn-import';
  readonly turn: Turn;
}

/**
 * The message of the newest turn was sent to another model, too. An earlier version of Aside knows
 * neither this event nor the next one, and goes on with the newest turn alone.
 */
export interface ComparedTurnStart extends Pick<
  TurnStart,
  'id' | 'model' | 'json' | 'withoutTools' | 'firstSent' | 'shortResultsBefore' | 'at'
> {
  readonly type: 'compared-turn-start';
  /** The turn that it replaces, which becomes another path. */
  readonly replaces?: string | undefined;
}

/** Something happened in a compared turn that is not the newest one. */
interface ComparedTurnEvent {
  readonly type: 'compared-turn-event';
  readonly turn: string;
  readonly event: TurnEvent;
}

/** An attempt failed; the next one is scheduled. */
interface RequestRetry {
  readonly type: 'request-retry';
  readonly retry: Retry;
}

/** The next attempt was sent after a wait. */
interface RequestStart {
  readonly type: 'request-start';
}

/**
 * A request, or another attempt of it, is about to be sent. Its estimated usage counts until `usage`
 * replaces it; it stays if the window is closed before that.
 */
interface RequestSent {
  readonly type: 'request-sent';
  readonly usage: Usage;
  /** True for the demo service. */
  readonly demo?: boolean | undefined;
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

/** The model called a tool, and the call will be run. */
interface ToolCallStart {
  readonly type: 'tool-call-start';
  readonly call: Pick<
    ToolCallPart,
    'id' | 'name' | 'arguments' | 'round' | 'title' | 'icon' | 'summary'
  >;
}

/** The call waits for the person's approval. */
interface ToolCallAsk {
  readonly type: 'tool-call-ask';
  readonly id: string;
  readonly question: ApprovalRequest;
}

/**
 * The call runs, or continues after an approval. `grant` names what allowed it to run without
 * asking.
 */
interface ToolCallRun {
  readonly type: 'tool-call-run';
  readonly id: string;
  readonly grant?: string | undefined;
  readonly at: number;
}

/** The call produced output, which is appended to its earlier output. */
interface ToolCallOutput {
  readonly type: 'tool-call-output';
  readonly id: string;
  readonly text: string;
}

/** The call ended; `result` is sent to the model. */
interface ToolCallResult {
  readonly type: 'tool-call-result';
  readonly id: string;
  readonly outcome: ToolOutcome;
  readonly result: string;
  /** The reason why the person denied it; absent if they gave none. */
  readonly denialReason?: string | undefined;
  readonly at: number;
}

/** A call that is shown but not run, because calls of an incomplete reply are never run. */
interface ToolCallEnd {
  readonly type: 'tool-call-end';
  readonly call: Pick<ToolCallPart, 'id' | 'name' | 'arguments' | 'icon' | 'summary'> & {
    readonly outcome: ToolOutcome;
  };
}

/** All files that a turn has changed so far; replaces the previous list. */
interface FilesChange {
  readonly type: 'files-change';
  readonly turn: string;
  readonly changes: readonly FileChange[];
}

/** Files were restored before a message was sent again, or that was undone or redone. */
interface FilesRestore {
  readonly type: 'files-restore';
  /** The turn of the message. */
  readonly turn: string;
  readonly restore: FileRestore;
}

/** The turn reached a limit and waits for the person. */
interface TurnPause {
  readonly type: 'turn-pause';
  readonly pause: Pause;
}

/** The person continued the paused turn. */
interface TurnResume {
  readonly type: 'turn-resume';
}

/** Token usage of one request, once per request. Usage of no requests if nothing was billed. */
interface UsageReport {
  readonly type: 'usage';
  readonly usage: Usage;
  /** True for the demo service, which costs nothing. */
  readonly demo?: boolean | undefined;
}

/** A record of the newest turn could not be read. Never stored: each reading finds it again. */
interface RecordLoss {
  readonly type: 'record-loss';
}

/** The turn ended. */
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

/** The event itself, unwrapped if it is one of a compared turn. */
export function withoutTurn(
  event: ConversationEvent,
): Exclude<ConversationEvent, ComparedTurnEvent> {
  return event.type === 'compared-turn-event' ? event.event : event;
}

/** True if an event appends to a streaming text, and may occur many times a second. */
export function isTextEvent(event: ConversationEvent): boolean {
  return textOf(event) !== undefined;
}

function textOf(event: ConversationEvent): TextEvent | undefined {
  const plain = withoutTurn(event);
  const { type } = plain;
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-output'
    ? plain
    : undefined;
}

/**
 * Appends an event to a queue and merges consecutive deltas of the same text: a slow reader gets
 * one long delta instead of many short ones, and reducing them gives the same conversation.
 */
export function pushEvent(waiting: ConversationEvent[], event: ConversationEvent): void {
  const index = indexOfSameText(waiting, event);
  const before = waiting[index];
  const text = textOf(event)?.text;
  if (before === undefined || text === undefined) waiting.push(event);
  else waiting[index] = withText(before, text);
}

/**
 * The index of the event that a delta continues; -1 if there is none. Texts of turns that run side
 * by side are independent, so those of other turns may stand between the two.
 */
function indexOfSameText(waiting: readonly ConversationEvent[], event: ConversationEvent): number {
  const text = textOf(event);
  if (text === undefined) return -1;
  const index = waiting.findLastIndex(
    (other) => !isTextEvent(other) || turnOf(other) === turnOf(event),
  );
  const previous = waiting[index];
  const before = previous && textOf(previous);
  return before !== undefined && isSameText(before, text) ? index : -1;
}

function turnOf(event: ConversationEvent): string {
  return event.type === 'compared-turn-event' ? event.turn : '';
}

function withText(event: ConversationEvent, end: string): ConversationEvent {
  if (event.type === 'compared-turn-event') return { ...event, event: grown(event.event, end) };
  return grown(event, end);
}

function grown<T extends ConversationEvent>(event: T, end: string): T {
  return 'text' in event ? { ...event, text: event.text + end } : event;
}

function isSameText(earlier: TextEvent, later: TextEvent): boolean {
  if (earlier.type === 'tool-call-output' || later.type === 'tool-call-output')
    return (
      earlier.type === later.type && 'id' in earlier && 'id' in later && earlier.id === later.id
    );
  return earlier.type === later.type;
}
