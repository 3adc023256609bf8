import * as z from 'zod/mini';
import type { FileRestore, RequestOptions } from '../core/conversation/conversation.ts';
import type { ConversationEvent } from '../core/conversation/events.ts';
import type { FindMatch } from '../core/conversation/findInTurns.ts';
import type { Price } from '../core/conversation/usage.ts';
import type { VersionsByTurn } from '../core/conversation/versions.ts';
import type { ConversationWindow, AdjacentTurns, WindowSide } from '../core/conversation/window.ts';

/** Messages from the host to the view. The view trusts these types. */
export type HostMessage =
  /** Everything needed to render: the response to `ready` and `show`, and sent for another chat. */
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  /** New events. The view responds with `acknowledge` before the next ones are sent. */
  | { readonly type: 'events'; readonly events: readonly ConversationEvent[] }
  | ({ readonly type: 'turns' } & MoreTurns)
  /** The versions of turns that the view got without them. */
  | { readonly type: 'versions'; readonly versions: VersionsByTurn }
  | ({ readonly type: 'found' } & FindResult)
  | ({ readonly type: 'references' } & FoundReferences)
  /** The response to `find-restorable`. */
  | ({ readonly type: 'restorable'; readonly turn: string } & RestorableFiles)
  | ({ readonly type: 'completions' } & CompletionResult)
  | { readonly type: 'attachment-text'; readonly attachment: string; readonly text: string }
  /** The response to `read-image`: a data URL, empty if the file is missing. */
  | { readonly type: 'image'; readonly hash: string; readonly url: string }
  | { readonly type: 'state'; readonly state: PanelState }
  /** A draft is stored, or must not be: the one with this number since `ready`. */
  | { readonly type: 'draft-stored'; readonly number: number }
  /**
   * The draft of the chat as it is now, which was changed elsewhere. `isOther` is true for another
   * message than the one before.
   */
  | { readonly type: 'draft'; readonly text: string; readonly isOther: boolean }
  /** Opens Find with the first match in a turn or after it. */
  | { readonly type: 'show-match'; readonly turn: string; readonly query: string }
  /** Focuses the composer. */
  | { readonly type: 'focus' }
  /** The response to the request with this id: done, or refused with a message for the person. */
  | { readonly type: 'settled'; readonly id: number; readonly refusal?: string | undefined };

/** Everything that the view needs to render. */
export interface Snapshot extends ConversationWindow {
  /** The turn that the view requested; undefined for the newest turns. */
  readonly around?: string | undefined;
  /** Versions of the turns of the window; undefined if no message was ever sent again. */
  readonly versions?: VersionsByTurn | undefined;
  readonly state: PanelState;
  /** Text that the person typed and has not sent. */
  readonly draft: string;
  /** When it was typed by the view's clock, in milliseconds since the Unix epoch; if that is known. */
  readonly draftAt?: number | undefined;
  /** Current time of the host: the view's clock may differ on a remote connection. */
  readonly now: number;
}

/** Turns that the view requested. They reflect every event sent before. */
export interface MoreTurns extends AdjacentTurns {
  readonly side: WindowSide;
  /** The turn at the edge of the view's window, as requested. */
  readonly of: string;
  /** Versions of these turns. */
  readonly versions?: VersionsByTurn | undefined;
}

/** The response to `find`, unless another search was started in the meantime. */
export interface FindResult {
  readonly query: string;
  /** Matches in the order of the conversation. */
  readonly places: readonly FindMatch[];
  /** Index of the first match to show, counted over all places from 0. */
  readonly start: number;
  /** False if there are more matches than anyone would go through. */
  readonly complete: boolean;
}

/** The response to `find-references`. */
export interface FoundReferences {
  readonly number: number;
  /** Locations in the order of the words; null for a word that names nothing in the workspace. */
  readonly places: readonly (ReferencePlace | null)[];
}

/** The files that can be restored to before a message, and those that would be left. */
export type RestorableFiles = Pick<FileRestore, 'files' | 'left'>;

/** A place in a file of the workspace, as `open-file` takes it. */
export interface ReferencePlace {
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
}

/**
 * The response to `complete`. A second list for the same query may follow, with items that took
 * longer to find.
 */
export interface CompletionResult {
  readonly trigger: '@' | '/';
  readonly query: string;
  readonly items: readonly CompletionItem[];
}

/** An entry of the completion list. */
export interface CompletionItem {
  /** Sent back when the item is chosen. */
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  /** Name of a codicon. */
  readonly icon: string;
  /**
   * For `/`: text that replaces the word in the composer; undefined if choosing the item adds an
   * attachment.
   */
  readonly insert?: string;
  /** An action, which does not change the text. */
  readonly isAction?: boolean;
}

/** The state of the panel besides the conversation. */
export interface PanelState {
  readonly connection: ConnectionState;
  readonly model: ModelState;
  /** Request options from the settings; the chat's own options take precedence. */
  readonly settings: RequestOptions;
  /** Options that the model refuses and that are not sent to it; undefined if there are none. */
  readonly refused?: readonly (keyof RequestOptions)[] | undefined;
  /** Attachments of the next message. */
  readonly attachments: readonly AttachmentChip[];
  /** The earlier messages that are being edited, by their turns. */
  readonly edits?: Readonly<Record<string, EditedMessageState>> | undefined;
  /** Cost of sending the next message now, without the draft's text. */
  readonly cost: SendCost;
  /** Number of `aside.ask` requests that wait for the running turn to end. */
  readonly waiting: number;
  /** Messages that were sent while a turn was running, in sending order. */
  readonly queued: readonly QueuedMessage[];
  /** Prices of the models that have replied, as far as they are known. */
  readonly prices?: ModelPrices | undefined;
  /** Saved chats that are offered while this one is empty. */
  readonly recent?: readonly RecentChat[] | undefined;
  /** Subjects for the first message of a chat; undefined after it. */
  readonly starters?: StarterFacts | undefined;
  /** The name of the workspace of the other window that writes the chat; empty if it is unknown. */
  readonly heldBy?: string | undefined;
  /** True if the Markdown preview draws diagrams; otherwise undefined. */
  readonly diagrams?: boolean | undefined;
  /** A notice for the person, for example that the chat cannot be saved. */
  readonly notice?: string | undefined;
}

/** Subjects for a message in this window. */
export interface StarterFacts {
  /** The path of the open file. */
  readonly file?: string;
  /** Whether something has changed since the last commit. */
  readonly hasChanges?: boolean;
  readonly hasFolder?: boolean;
}

/** Prices of models. */
export interface ModelPrices {
  readonly currency: string;
  readonly byModel: Readonly<Record<string, Price>>;
}

/** A saved chat that is offered where a new one would begin. */
export interface RecentChat {
  readonly id: string;
  readonly title: string;
  /** When its newest message was sent, in milliseconds since the Unix epoch by the host's clock. */
  readonly at: number;
  /** Whether something waits in it, or a reply is there, that the person has not seen. */
  readonly isUnread?: boolean | undefined;
}

/** The connection of the panel. */
export interface ConnectionState {
  readonly kind: 'none' | 'demo' | 'service';
  /** The host of the service, for example `api.example.com`. The panel gets it if there are others. */
  readonly host?: string | undefined;
}

/** The selected model. */
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
   * - `attached`: sent with the next message; `offered`: only after a click adds it
   * - `unchanged`: the model has it already, so it costs nothing; `changed`: modified since it was
   *   sent; `left-out`: the person left it out of the requests of this chat
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
  /** The preset of the chat. */
  readonly isPreset?: boolean;
  /** True for a preset whose file can't be used. */
  readonly isMissing?: boolean;
}

/** An earlier message that is edited. */
export interface EditedMessageState {
  readonly attachments: readonly AttachmentChip[];
  /** Cost of sending it in the place of its turn, without its text. */
  readonly cost: SendCost;
}

/** The cost of sending the next message. */
export interface SendCost {
  readonly tokens: number;
  /** Tokens per character of the draft. */
  readonly perCharacter: number;
  /** Tokens of the tools, whether they are sent or not; undefined if the model gets none. */
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

/** A budget that the next message counts in. */
export interface SendBudget {
  readonly of: 'chat' | 'day' | 'month';
  /** `money` is in units of the currency. */
  readonly unit: 'tokens' | 'money';
  readonly limit: number;
  readonly left: number;
  /** Maximum cost of a sent token, in the unit. */
  readonly perToken: number;
}

/** A message that is sent when the running turn has ended. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** True while it is in the composer. */
  readonly isEdited?: boolean;
}

/** Commands that buttons of the view may run. None of them approves anything (threats: I6). */
const viewCommands = [
  'connect',
  'useDemo',
  'openWalkthrough',
  'setApiKey',
  'selectModel',
  'compare',
  'manageTools',
  'openConsole',
  'newChat',
  'showLog',
] as const;

const text = z.string().check(z.maxLength(50_000_000));
const id = z.string().check(z.minLength(1), z.maxLength(200));
/** Base64 of an image of up to 5 MB. */
const imageBase64 = z.string().check(z.maxLength(7_000_000));
const language = z.string().check(z.maxLength(100));
/** The turn whose message is edited, if the request is not about the next message. */
const edited = z.optional(id);
/** A path as written in a reply. */
const path = z.string().check(z.minLength(1), z.maxLength(2000));

/** A word of a reply without its line: a path, or, written as code, also a name or a symbol. */
const referenceWord = z.strictObject({
  text: z.string().check(z.minLength(1), z.maxLength(200)),
  isCode: z.boolean(),
});
export type ReferenceWord = z.infer<typeof referenceWord>;

const requestOptions = z.strictObject({
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(2))),
  topP: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  maxTokens: z.optional(z.int().check(z.minimum(1))),
  stop: z.optional(z.array(z.string().check(z.minLength(1))).check(z.maxLength(100))),
  json: z.optional(z.boolean()),
  withoutTools: z.optional(z.boolean()),
});

/** Requests of the view. Untrusted until parsed. */
const viewRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('send'), text }),
  /** Stops all running turns, or one of those that are compared. */
  z.strictObject({ type: z.literal('stop'), turn: z.optional(id) }),
  /**
   * With `chooseModel`, the person first selects another model; otherwise the turn's own model is
   * used.
   */
  z.strictObject({ type: z.literal('retry'), turn: id, chooseModel: z.boolean() }),
  z.strictObject({ type: z.literal('continue'), turn: id }),
  /** Sends the turn's message again, without tools. */
  z.strictObject({ type: z.literal('retry-without-tools'), turn: id }),
  /** Continues a turn that paused at a limit. */
  z.strictObject({ type: z.literal('resume'), turn: id }),
  /** Removes a queued message. */
  z.strictObject({ type: z.literal('unqueue'), message: id }),
  z.strictObject({ type: z.literal('move-queued'), message: id, by: z.literal([-1, 1]) }),
  /** Moves a queued message into the composer; sending it restores its position in the queue. */
  z.strictObject({ type: z.literal('edit-queued'), message: id }),
  /** Leaves the queued message in the composer as it was. */
  z.strictObject({ type: z.literal('stop-editing-queued') }),
  /** Only for an approval that is pending in the panel, and only once (threats: T04). */
  z.strictObject({
    type: z.literal('decide'),
    turn: id,
    call: id,
    decision: z.enum(['once', 'chat', 'deny']),
  }),
  /** Opens the diff of a change by a pending call. */
  z.strictObject({ type: z.literal('review'), turn: id, call: id, path: z.optional(text) }),
  /** Acts on one file that a turn changed, or on all of them. */
  z.strictObject({
    type: z.literal('changes'),
    turn: id,
    change: z.optional(id),
    action: z.enum(['diff', 'keep', 'undo', 'redo']),
  }),
  /** Begins to edit the message of a turn, with its attachments. */
  z.strictObject({ type: z.literal('edit-message'), turn: id }),
  z.strictObject({ type: z.literal('stop-editing'), turn: id }),
  /**
   * Sends this text, with the attachments of the edit, as another version of the turn's message. With
   * `restoreFiles`, those that its turn and later ones changed are restored before.
   */
  z.strictObject({
    type: z.literal('resend'),
    turn: id,
    text,
    restoreFiles: z.optional(z.boolean()),
  }),
  /**
   * `review` shows the files that would be restored before the turn's message is sent again; the
   * others are about the files that were restored when it was sent.
   */
  z.strictObject({
    type: z.literal('restore-files'),
    turn: id,
    action: z.enum(['review', 'undo', 'redo']),
  }),
  /** Shows the version of a message or reply that this turn is. */
  z.strictObject({ type: z.literal('select-version'), turn: id }),
  /** Sends a summary in place of its messages, or these again. */
  z.strictObject({ type: z.literal('use-summary'), summary: id, used: z.boolean() }),
  /** Goes on with one of the turns that are compared; those that still run are stopped. */
  z.strictObject({ type: z.literal('choose-reply'), turn: id }),
  /** Sends the turn's message to several models, which the person selects first. */
  z.strictObject({ type: z.literal('compare'), turn: id }),
  /** Opens a new chat that begins with everything up to the turn. */
  z.strictObject({ type: z.literal('fork'), turn: id }),
  /** Makes this window the writer of the chat that another one writes. */
  z.strictObject({ type: z.literal('continue-here') }),
  z.strictObject({ type: z.literal('set-options'), options: requestOptions }),
  z.strictObject({ type: z.literal('remove-attachment'), attachment: id, edited }),
  /** Requests completions of the word at the cursor; the response is `completions`. */
  z.strictObject({
    type: z.literal('complete'),
    trigger: z.enum(['@', '/']),
    query: z.string().check(z.maxLength(1000)),
    edited,
  }),
  /** Attaches an item of the last `completions`, or runs its action. */
  z.strictObject({
    type: z.literal('choose-completion'),
    id: z.string().check(z.maxLength(2000)),
    edited,
  }),
  /** Opens a picker in VS Code to choose an attachment. */
  z.strictObject({ type: z.literal('attach'), edited }),
  z.strictObject({ type: z.literal('attach-offered'), attachment: id }),
  /** Dropped or pasted URIs or paths of files. */
  z.strictObject({
    type: z.literal('attach-addresses'),
    addresses: z.array(z.string().check(z.maxLength(5000))).check(z.maxLength(100)),
    edited,
  }),
  z.strictObject({
    type: z.literal('attach-image'),
    name: z.string().check(z.maxLength(200)),
    base64: imageBase64,
    edited,
  }),
  /** Puts an image that was made small in the place of the one that a file had. */
  z.strictObject({ type: z.literal('scale-image'), attachment: id, base64: imageBase64, edited }),
  /** Attaches pasted text under an id that the view chose. */
  z.strictObject({
    type: z.literal('attach-text'),
    id: z.string().check(z.regex(/^pasted-[\w-]{1,100}$/)),
    text,
    language: z.string().check(z.regex(/^[\w#+.-]{0,40}$/)),
    edited,
  }),
  /** Requests an image of the chat; the response is `image`. */
  z.strictObject({ type: z.literal('read-image'), hash: id }),
  /** Requests the text of an attachment; the response is `attachment-text`. */
  z.strictObject({ type: z.literal('read-attachment'), attachment: id, edited }),
  /** Opens the attachment, or its diff to the version that was sent. */
  z.strictObject({ type: z.literal('show-attachment'), attachment: id, edited }),
  /** Opens a saved chat in place of this one. */
  z.strictObject({ type: z.literal('open-chat'), chat: id }),
  /** Shows the actions on the context of the next message. */
  z.strictObject({ type: z.literal('show-context') }),
  z.strictObject({ type: z.literal('run'), command: z.enum(viewCommands) }),
  /** Shows the setting for budgets. */
  z.strictObject({ type: z.literal('raise-budget') }),
  z.strictObject({ type: z.literal('copy'), text }),
  /** `label` is the text of the link, to detect one that shows a different address. */
  z.strictObject({
    type: z.literal('open-link'),
    href: z.string().check(z.maxLength(20_000)),
    label: text,
  }),
  z.strictObject({ type: z.literal('insert-at-cursor'), text }),
  z.strictObject({ type: z.literal('new-file'), text, language, path: z.optional(path) }),
  /** Shows code of a reply as a change of a file; without a path, of the file in the editor. */
  z.strictObject({ type: z.literal('apply-to-file'), text, language, path: z.optional(path) }),
  /** Inserts a command into a terminal without running it. */
  z.strictObject({ type: z.literal('run-in-terminal'), text }),
  /** Shows a diagram in the preview of Markdown. */
  z.strictObject({ type: z.literal('open-preview'), text }),
  /** Opens only files of the workspace. */
  z.strictObject({
    type: z.literal('open-file'),
    path,
    line: z.optional(z.int().check(z.minimum(1))),
  }),
]);
/** A request of the view. */
export type ViewRequest = z.infer<typeof viewRequest>;

/** The schema of all messages of the view. */
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
  /** Searches the whole conversation; `from` is the visible turn. */
  z.strictObject({
    type: z.literal('find'),
    query: z.string().check(z.maxLength(1000)),
    from: z.optional(id),
  }),
  /** Asks which files can be restored to before a message; the response is `restorable`. */
  z.strictObject({ type: z.literal('find-restorable'), turn: id }),
  /** Asks which words of a reply name something of the workspace; the response is `references`. */
  z.strictObject({
    type: z.literal('find-references'),
    number: z.int(),
    words: z.array(referenceWord).check(z.maxLength(200)),
  }),
  /**
   * The draft of the chat that the view shows, or showed before the host sent another one. The
   * response is `draft-stored`.
   */
  z.strictObject({ type: z.literal('draft'), conversation: id, text, at: z.number() }),
  /** `conversation` is the chat that the view showed when the person acted. */
  z.strictObject({
    type: z.literal('request'),
    id: z.int(),
    conversation: id,
    request: viewRequest,
  }),
]);
/** A message of the view. */
export type ViewMessage = z.infer<typeof viewMessage>;
