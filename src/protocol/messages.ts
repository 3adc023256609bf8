import * as z from 'zod/mini';
import type { RequestOptions } from '../core/conversation/conversation.ts';
import type { ConversationEvent } from '../core/conversation/events.ts';
import type { ChatMode } from '../core/conversation/mode.ts';
import type { Price } from '../core/conversation/usage.ts';
import type { VersionsByTurn } from '../core/conversation/versions.ts';
import type { ConversationWindow, AdjacentTurns, WindowSide } from '../core/conversation/window.ts';
import type { AnswerMessage, PostedCall } from './call.ts';
import { callSchema, id, type CallParameters } from './rpc.ts';

/** Messages from the host to the view. The view trusts these types. */
export type HostMessage =
  /** Everything needed to render: the response to `ready` and `show`, and sent for another chat. */
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  /** New events. The view responds with `acknowledge` before the next ones are sent. */
  | { readonly type: 'events'; readonly events: readonly ConversationEvent[] }
  | ({ readonly type: 'turns' } & MoreTurns)
  /** The versions of turns that the view got without them. */
  | { readonly type: 'versions'; readonly versions: VersionsByTurn }
  | { readonly type: 'state'; readonly state: PanelState }
  /**
   * The chat's current draft, which was changed elsewhere. `isOther` is true for another message
   * than the one before.
   */
  | { readonly type: 'draft'; readonly text: string; readonly isOther: boolean }
  /** Opens Find with the first match in a turn or after it. */
  | { readonly type: 'show-match'; readonly turn: string; readonly query: string }
  /** Focuses the composer. `grabs` is false if the page must wait until VS Code focuses it. */
  | { readonly type: 'focus'; readonly grabs: boolean }
  /** A message about the side chat, as if a page of its own showed it. */
  | { readonly type: 'side'; readonly chat: string; readonly message: HostMessage }
  | AnswerMessage;

export interface Snapshot extends ConversationWindow {
  /** The turn that the view requested; undefined for the newest turns. */
  readonly around?: string | undefined;
  /** Versions of the turns of the window; undefined if no message was ever sent again. */
  readonly versions?: VersionsByTurn | undefined;
  readonly state: PanelState;
  /** Text that the person typed and has not sent. */
  readonly draft: string;
  /** Time of typing by the view's clock, in milliseconds since the Unix epoch, if known. */
  readonly draftAt?: number | undefined;
  /** Current time of the host: the view's clock may differ on a remote connection. */
  readonly now: number;
}

/** Turns that the view requested. They reflect every event sent before. */
export interface MoreTurns extends AdjacentTurns {
  readonly side: WindowSide;
  /** The turn at the edge of the view's window, as requested. */
  readonly of: string;
  readonly versions?: VersionsByTurn | undefined;
}

/** How much a model is to think. */
export interface EffortChoice {
  /** In the words of the service; undefined for its default. */
  readonly effort: string | undefined;
}

/**
 * Why a model gets no tools: it refused them, its settings or list say so, `aside.tools.enabled` is
 * off, the workspace isn't trusted, or there is neither a folder nor a file.
 */
export type ToolObstacle = 'refused' | 'model' | 'setting' | 'untrusted' | 'empty';

/** The state of the panel besides the conversation. */
export interface PanelState {
  readonly connection: ConnectionState;
  readonly model: ModelState;
  /** Request options from the settings; the chat's own options take precedence. */
  readonly settings: RequestOptions;
  /** Options that the model refuses and that are not sent to it; undefined if there are none. */
  readonly refused?: readonly (keyof RequestOptions)[] | undefined;
  /** How much the model is to think; undefined if it doesn't take that. */
  readonly effort?: EffortChoice | undefined;
  readonly attachments: readonly AttachmentChip[];
  /** The earlier messages that are being edited, by their turns. */
  readonly edits?: Readonly<Record<string, EditedMessageState>> | undefined;
  readonly mode: ChatMode;
  /** Why the model gets no tools, whatever the mode; undefined if it gets them. */
  readonly toolObstacle?: ToolObstacle | undefined;
  /** Cost of sending the next message now, without the draft's text. */
  readonly cost: SendCost;
  /** The turn whose reply is a plan that can be started. */
  readonly plan?: string | undefined;
  /** The side chat; undefined if none is open. */
  readonly sideChat?: SideChatState | undefined;
  /** Cost of sending the next message in the side chat, without the draft's text. */
  readonly sideChatCost: SendCost;
  /** Messages that were sent while a turn was running, in sending order. */
  readonly queued: readonly QueuedMessage[];
  readonly prices?: ModelPrices | undefined;
  /** Saved chats that are offered while this one is empty. */
  readonly recent?: readonly RecentChat[] | undefined;
  /** Subjects for the first message of a chat; undefined after it. */
  readonly starters?: StarterFacts | undefined;
  /** True if the chat is open in another window, which alone may change it; otherwise undefined. */
  readonly isReadOnly?: true | undefined;
  /** True if the Markdown preview renders diagrams; otherwise undefined. */
  readonly diagrams?: boolean | undefined;
  /** True while VS Code's window doesn't have the focus; otherwise undefined. */
  readonly isInBackground?: boolean | undefined;
  /** A notice for the person, for example that the chat cannot be saved. */
  readonly notice?: string | undefined;
}

/** The side chat of a chat. */
export interface SideChatState {
  /** The id of its own conversation. */
  readonly chat: string;
  /** Number of its turns that are copies of those of the chat. */
  readonly copied: number;
  readonly isRunning: boolean;
}

export interface StarterFacts {
  readonly file?: string;
  /** True if something has changed since the last commit. */
  readonly hasChanges?: boolean;
  readonly hasFolder?: boolean;
}

export interface ModelPrices {
  readonly currency: string;
  readonly byModel: Readonly<Record<string, Price>>;
}

/** A saved chat that is offered where a new one would begin. */
export interface RecentChat {
  readonly id: string;
  readonly title: string;
  /** Time of its newest message, in milliseconds since the Unix epoch by the host's clock. */
  readonly at: number;
  /** True if something waits in it, or a reply is there, that the person has not seen. */
  readonly isUnread?: boolean | undefined;
}

export interface ConnectionState {
  readonly kind: 'none' | 'demo' | 'service';
  /** The host of the service, for example `api.example.com`. The panel gets it if there are others. */
  readonly host?: string | undefined;
}

export interface ModelState {
  /** Empty if none is selected. */
  readonly id: string;
  /** True if it is set in the workspace settings. */
  readonly fromWorkspace: boolean;
  /** True if the last model list of the service does not include it. */
  readonly missing: boolean;
}

/** An attachment without its text. */
export interface AttachmentChip {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** Name of a codicon. */
  readonly icon: string;
  /** Estimated number of tokens that it adds to the request. */
  readonly tokens: number;
  /**
   * `attached`: sent with the next message; `offered`: added by a click; `unchanged`: the model has
   * it already, so it costs nothing; `changed`: modified since it was sent; `left-out`: excluded
   * from the requests of this chat
   */
  readonly state: 'attached' | 'offered' | 'unchanged' | 'changed' | 'left-out';
  /** True for pasted text, which can be inserted into the field instead. */
  readonly isPasted?: boolean;
  /** The hash of an image, by which the page can ask for it. */
  readonly image?: string;
  /** True for an image that no page has made small yet. */
  readonly isOriginal?: boolean;
  /** An instruction file, which is sent with every message. */
  readonly isInstructions?: boolean;
  readonly isPreset?: boolean;
  /** True for a preset whose file can't be used. */
  readonly isMissing?: boolean;
}

interface EditedMessageState {
  readonly attachments: readonly AttachmentChip[];
  /** Cost of sending it in the place of its turn, without its text. */
  readonly cost: SendCost;
}

export interface SendCost {
  readonly tokens: number;
  /** Tokens per character of the draft. */
  readonly perCharacter: number;
  /** Tokens of the tools; undefined if the model gets none. */
  readonly toolTokens?: number;
  /** Maximum tokens of a request and its reply together; undefined if unknown. */
  readonly contextWindow?: number;
  /** Parts of the chat that are omitted or shortened; undefined if there are none. */
  readonly leftOut?: LeftOutContext;
  /** Price per sent token, in the currency; undefined if unknown. */
  readonly price?: number;
  readonly currency?: string;
  /** The budget with the smallest remaining share; undefined without budgets. */
  readonly budget?: SendBudget;
}

/** Parts of the chat that are omitted or shortened when the next message is sent. */
interface LeftOutContext {
  /** Number of turns that are not sent at all. */
  readonly turns?: number;
  /** True if older tool results are one line each. */
  readonly results?: boolean;
  /** Number of turns that are sent as a summary. */
  readonly summarized?: number;
}

export interface SendBudget {
  readonly of: 'chat' | 'day' | 'month';
  /** `money` is in units of the currency. */
  readonly unit: 'tokens' | 'money';
  readonly limit: number;
  readonly remaining: number;
  /** Maximum cost of a sent token, in the unit. */
  readonly perToken: number;
}

/** A message that waits for the end of the running turn, or for its next request. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** True while it is in the composer. */
  readonly isEdited?: boolean;
  /** True if it goes in with the next request of the running turn. */
  readonly now?: boolean;
}

export const viewMessage = z.discriminatedUnion('type', [
  /** `turn` is the scroll position, unless it was at the end. */
  z.strictObject({ type: z.literal('ready'), turn: z.optional(id) }),
  z.strictObject({ type: z.literal('acknowledge') }),
  /** The view got the focus: commands are for its chat now. */
  z.strictObject({ type: z.literal('focused') }),
  /** Requests a snapshot around a turn, or of the newest turns. */
  z.strictObject({ type: z.literal('show'), turn: z.optional(id) }),
  /** Requests turns beyond an edge of the view's window; `of` is the turn at that edge. */
  z.strictObject({ type: z.literal('turns'), side: z.enum(['before', 'after']), of: id }),
  /**
   * A call, which gets an answer; `conversation` is the chat that the view showed then, or one whose
   * draft is to be stored.
   */
  z.strictObject({
    type: z.literal('call'),
    id: z.int(),
    conversation: id,
    call: callSchema,
  }),
]);
/** A message of the card of a side chat. */
export const sideMessage = z.object({ type: z.literal('side'), chat: id, message: z.unknown() });

export type ViewMessage = z.infer<typeof viewMessage>;

/** A message as the panel posts it, which the host parses. */
export type PostedMessage =
  | { readonly type: 'side'; readonly chat: string; readonly message: PostedMessage }
  | Exclude<ViewMessage, { readonly type: 'call' }>
  | PostedCall<CallParameters>;
