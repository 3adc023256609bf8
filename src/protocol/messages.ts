import * as z from 'zod/mini';
import type { RequestOptions } from '../core/conversation/conversation.ts';
import type { ConversationEvent } from '../core/conversation/events.ts';
import type { FindMatch } from '../core/conversation/findInTurns.ts';
import type { ConversationWindow, AdjacentTurns, WindowSide } from '../core/conversation/window.ts';

/** What the host tells the view. The view trusts these types. */
export type HostMessage =
  /** Everything that is needed to draw: the answer to `ready` and `show`, and another chat. */
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  /** What happened since. The view answers with `acknowledge`, and only then come the next. */
  | { readonly type: 'events'; readonly events: readonly ConversationEvent[] }
  | ({ readonly type: 'turns' } & MoreTurns)
  | ({ readonly type: 'found' } & FindResult)
  | ({ readonly type: 'completions' } & CompletionResult)
  | { readonly type: 'state'; readonly state: PanelState }
  /** Puts the cursor into the composer. */
  | { readonly type: 'focus' }
  /** The answer to the request with this id: done, or refused with words for the person. */
  | { readonly type: 'settled'; readonly id: number; readonly refusal?: string | undefined };

export interface Snapshot extends ConversationWindow {
  /** The turn that the view asked to be shown; absent where these are the newest. */
  readonly around?: string | undefined;
  readonly state: PanelState;
  /** What the person had typed and not sent. */
  readonly draft: string;
  /** The host's wall clock at this moment: the view's clock may differ on a remote connection. */
  readonly now: number;
}

/** Turns that the view asked for. They fit what every event before them left. */
export interface MoreTurns extends AdjacentTurns {
  readonly side: WindowSide;
  /** The turn at the edge of the view's window, as it was asked. */
  readonly of: string;
}

/** The answer to `find`, unless another was asked meanwhile. */
export interface FindResult {
  readonly query: string;
  /** In the order of the conversation. */
  readonly places: readonly FindMatch[];
  /** The first hit to show, counted over all places from 0. */
  readonly start: number;
  /** False where there are more than anybody would go through. */
  readonly complete: boolean;
}

/**
 * The answer to `complete`. A list of the same query may come again later, with what took longer to
 * find.
 */
export interface CompletionResult {
  readonly trigger: '@' | '/';
  readonly query: string;
  readonly items: readonly CompletionItem[];
}

export interface CompletionItem {
  /** Handed back when it is chosen. */
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  /** Name of a codicon. */
  readonly icon: string;
  /** For `/`: text that replaces the word in the composer; absent where choosing attaches. */
  readonly insert?: string;
  /** Something to do, which leaves the text as it is. */
  readonly isAction?: boolean;
}

/** What the panel shows besides the conversation. */
export interface PanelState {
  readonly connection: ConnectionState;
  readonly model: ModelState;
  /** The request options that the settings say; the chat's own options come before them. */
  readonly settings: RequestOptions;
  /** What goes along with the next question. */
  readonly attachments: readonly AttachmentChip[];
  /** Of what would be sent now, without the draft's own text. */
  readonly cost: SendCost;
  /** How many questions of `aside.ask` wait for the running turn to end. */
  readonly waiting: number;
  /** Messages that the person sent while a turn runs, in the order in which they are asked. */
  readonly queued: readonly QueuedMessage[];
  /** Something the person must know, for example that the chat cannot be saved. */
  readonly notice?: string | undefined;
}

export interface ConnectionState {
  readonly kind: 'none' | 'demo' | 'service';
  /** The host of the service, for example `api.example.com`. */
  readonly host?: string | undefined;
}

export interface ModelState {
  /** Empty while none is chosen. */
  readonly id: string;
  /** True when the workspace's settings chose it. */
  readonly fromWorkspace: boolean;
  /** True when the service's list, as it was last read, does not have it. */
  readonly missing: boolean;
}

/** An attachment without its text. */
export interface AttachmentChip {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** Name of a codicon. */
  readonly icon: string;
  /** That it adds to the request, as far as one can tell. */
  readonly tokens: number;
  /**
   * - `attached`: goes along; `offered`: does not, until a click adds it
   * - `unchanged`: the model has it already, so that it costs nothing; `changed`: since it was sent
   */
  readonly state: 'attached' | 'offered' | 'unchanged' | 'changed';
  /** Goes along with every question. */
  readonly isInstructions?: boolean;
}

/** What sending would cost. */
export interface SendCost {
  readonly tokens: number;
  /** Tokens that a character of the draft adds. */
  readonly perCharacter: number;
  /** Tokens that a request and its reply may have together; absent where nobody knows. */
  readonly contextWindow?: number;
  /** Of a token that is sent, in the currency; absent without a price. */
  readonly price?: number;
  readonly currency?: string;
}

/** A message that is asked when the running turn has ended. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

/** Commands that a button of the view may run. None of them approves anything (threats: I6). */
const viewCommands = [
  'connect',
  'useDemo',
  'setApiKey',
  'selectModel',
  'manageTools',
  'openConsole',
  'newChat',
  'showLog',
] as const;

const text = z.string().check(z.maxLength(50_000_000));
const id = z.string().check(z.minLength(1), z.maxLength(200));
const language = z.string().check(z.maxLength(100));
/** A path as a reply wrote it. */
const path = z.string().check(z.minLength(1), z.maxLength(2000));

const requestOptions = z.strictObject({
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(2))),
  topP: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  maxTokens: z.optional(z.int().check(z.minimum(1))),
  stop: z.optional(z.array(z.string().check(z.minLength(1))).check(z.maxLength(100))),
  json: z.optional(z.boolean()),
});

/** What the view asks of the host. Hostile until parsed. */
const viewRequest = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('send'), text }),
  z.strictObject({ type: z.literal('stop') }),
  /** `chooseModel` asks for another model first; without it the turn's own model answers again. */
  z.strictObject({ type: z.literal('retry'), turn: id, chooseModel: z.boolean() }),
  z.strictObject({ type: z.literal('continue'), turn: id }),
  /** Asks the turn's question again, without tools. */
  z.strictObject({ type: z.literal('retry-without-tools'), turn: id }),
  /** Lets a turn that paused at a limit go on. */
  z.strictObject({ type: z.literal('resume'), turn: id }),
  /** Takes back a message that waits for the running turn. */
  z.strictObject({ type: z.literal('unqueue'), message: id }),
  /** Only for a question of the panel that is pending, and once (threats: T04). */
  z.strictObject({
    type: z.literal('decide'),
    turn: id,
    call: id,
    decision: z.enum(['once', 'chat', 'deny']),
  }),
  /** Opens the diff of what a pending call would change. */
  z.strictObject({ type: z.literal('review'), turn: id, call: id, path: z.optional(text) }),
  /** What to do with a file that a turn changed, or with all of them. */
  z.strictObject({
    type: z.literal('changes'),
    turn: id,
    change: z.optional(id),
    action: z.enum(['diff', 'keep', 'undo']),
  }),
  /** Takes back the turn and all after it, and asks anew with this text. */
  z.strictObject({ type: z.literal('resend'), turn: id, text }),
  z.strictObject({ type: z.literal('set-options'), options: requestOptions }),
  z.strictObject({ type: z.literal('remove-attachment'), attachment: id }),
  /** What the word at the cursor could become; answered by `completions`. */
  z.strictObject({
    type: z.literal('complete'),
    trigger: z.enum(['@', '/']),
    query: z.string().check(z.maxLength(1000)),
  }),
  /** Attaches an item of the last `completions`, or does it. */
  z.strictObject({ type: z.literal('choose-completion'), id: z.string().check(z.maxLength(2000)) }),
  /** Lets the person choose in a list of VS Code what to attach. */
  z.strictObject({ type: z.literal('attach') }),
  z.strictObject({ type: z.literal('attach-offered'), attachment: id }),
  /** Dropped or pasted: addresses of files, or paths. */
  z.strictObject({
    type: z.literal('attach-addresses'),
    addresses: z.array(z.string().check(z.maxLength(5000))).check(z.maxLength(100)),
  }),
  z.strictObject({
    type: z.literal('attach-image'),
    name: z.string().check(z.maxLength(200)),
    mime: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    base64: text,
  }),
  /** Opens it, or how it differs from what was sent. */
  z.strictObject({ type: z.literal('show-attachment'), attachment: id }),
  z.strictObject({ type: z.literal('run'), command: z.enum(viewCommands) }),
  z.strictObject({ type: z.literal('copy'), text }),
  /** `label` is the text of the link, so that one which names another address can be told. */
  z.strictObject({
    type: z.literal('open-link'),
    href: z.string().check(z.maxLength(20_000)),
    label: text,
  }),
  z.strictObject({ type: z.literal('insert-at-cursor'), text }),
  z.strictObject({ type: z.literal('new-file'), text, language, path: z.optional(path) }),
  /** Shows code of a reply as a change of a file; without a path, of the one in the editor. */
  z.strictObject({ type: z.literal('apply-to-file'), text, language, path: z.optional(path) }),
  /** Puts a command into a terminal, and never runs it. */
  z.strictObject({ type: z.literal('run-in-terminal'), text }),
  /** Only a file of the workspace is opened. */
  z.strictObject({
    type: z.literal('open-file'),
    path,
    line: z.optional(z.int().check(z.minimum(1))),
  }),
]);
export type ViewRequest = z.infer<typeof viewRequest>;

/** Every message of the view. */
export const viewMessage = z.discriminatedUnion('type', [
  /** `turn` is where the reader was, unless that was the end. */
  z.strictObject({ type: z.literal('ready'), turn: z.optional(id) }),
  z.strictObject({ type: z.literal('acknowledge') }),
  /** Asks for a snapshot around a turn, or of the newest turns. */
  z.strictObject({ type: z.literal('show'), turn: z.optional(id) }),
  /** Asks for turns beyond an edge of the view's window, at which the turn `of` is. */
  z.strictObject({ type: z.literal('turns'), side: z.enum(['before', 'after']), of: id }),
  /** Looks through the whole conversation; `from` is the turn that the reader sees. */
  z.strictObject({
    type: z.literal('find'),
    query: z.string().check(z.maxLength(1000)),
    from: z.optional(id),
  }),
  z.strictObject({ type: z.literal('draft'), text }),
  z.strictObject({ type: z.literal('request'), id: z.int(), request: viewRequest }),
]);
export type ViewMessage = z.infer<typeof viewMessage>;
