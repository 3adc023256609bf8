import * as z from 'zod/mini';
import { viewCommands } from './viewCommands.ts';
import type { FileRestore } from '../core/conversation/conversation.ts';
import type { ChangedLines } from '../core/support/changedLines.ts';
import { longestAnswer, mostChoices } from '../core/conversation/question.ts';
import { longestReason } from '../core/support/toolError.ts';
import type { ReplyCost } from './usageMessages.ts';
import type { FindMatch } from '../core/conversation/findInTurns.ts';
import { call, type CallOf, type HandlersOf, type ParametersOf, type ResultsOf } from './call.ts';

/** The matches of a search in a conversation. */
export interface FindResult {
  /** Matches in the order of the conversation. */
  readonly places: readonly FindMatch[];
  /** Index of the first match to show, counted over all places from 0. */
  readonly start: number;
  /** False if there are more matches than anyone would go through. */
  readonly complete: boolean;
  /** The person's messages, oldest first, if the query has no words. */
  readonly messages?: readonly OwnMessage[];
}

/** The first line of a message, and its turn. */
interface OwnMessage {
  readonly turn: string;
  readonly text: string;
}

/** The files that can be restored to before a message, and those that would be left. */
export type RestorableFiles = Pick<FileRestore, 'files' | 'left'>;

/** A place in a file of the workspace, as `open-file` takes it. */
export interface ReferencePlace {
  readonly path: string;
  /** 1-based. */
  readonly line?: number;
}

/** The list of completions of a word. */
export interface Completions {
  readonly items: readonly CompletionItem[];
  /** True if items that take longer to find may follow: `more-completions` waits for them. */
  readonly mayGrow: boolean;
}

/** An entry of the completion list. */
export interface CompletionItem {
  /** The parameter of `choose-completion`. */
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  /** Name of a codicon. */
  readonly icon: string;
  /**
   * For `/`: text that replaces the word in the composer; undefined if choosing the item adds an
   * attachment alone.
   */
  readonly insert?: string;
  /** An action, which does not change the text. */
  readonly isAction?: boolean;
}

/** The messages that an empty chat suggests. */
export const starters = ['explain', 'improve', 'changes', 'project', 'help'] as const;
export type Starter = (typeof starters)[number];

/** The amounts of thinking that a person can choose, in the words of services. */
export const effortLevels = ['low', 'medium', 'high'] as const;

const text = z.string().check(z.maxLength(50_000_000));
export const id = z.string().check(z.minLength(1), z.maxLength(200));
/** Base64 of an image of up to 5 MB. */
const imageBase64 = z.string().check(z.maxLength(7_000_000));
const language = z.string().check(z.maxLength(100));
/** The turn whose message is edited, if the call is not about the next message. */
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
});

/** The calls of the view. Untrusted until parsed. */
export const callSchema = z.discriminatedUnion('name', [
  /** Stores the draft of a conversation; `at` is when it was typed, by the view's clock. */
  call('draft', { text, at: z.number() }),
  /** `now` lets it go in with the next request of the running turn, instead of after the turn. */
  call('send', { text, starter: z.optional(z.enum(starters)), now: z.optional(z.boolean()) }),
  /** Searches the whole conversation; `from` is the visible turn. */
  call('find', { query: z.string().check(z.maxLength(1000)), from: z.optional(id) }),
  call('stop', {}),
  /**
   * `chooseModel` lets the person select another model first; otherwise the turn's model is used.
   */
  call('retry', { turn: id, chooseModel: z.boolean() }),
  call('continue', { turn: id }),
  /** Sends the turn's message again, without tools. */
  call('retry-without-tools', { turn: id }),
  /** Continues the turn, which paused at a limit. */
  call('resume', {}),
  /** Removes a queued message. */
  call('unqueue', { message: id }),
  call('move-queued', { message: id, by: z.literal([-1, 1]) }),
  /** Lets a queued message go in with the next request of the running turn. */
  call('send-now', { message: id }),
  /** Moves a queued message into the composer; sending it restores its position in the queue. */
  call('edit-queued', { message: id }),
  /** Leaves the queued message in the composer as it was. */
  call('stop-editing-queued', {}),
  /** Only for an approval that is pending in the panel, and only once (threats: T04). */
  call('decide', {
    turn: id,
    call: id,
    decision: z.enum(['once', 'chat', 'deny']),
    /** Why it is denied, for the model. */
    reason: z.optional(z.string().check(z.maxLength(longestReason))),
  }),
  /** Answers a question of the model: indexes of choices, and the person's own words. */
  call('answer', {
    turn: id,
    call: id,
    choices: z.array(z.int()).check(z.maxLength(mostChoices)),
    text: z.string().check(z.maxLength(longestAnswer)),
  }),
  /** Ends the processes that the command of a call left running. */
  call('end-processes', { turn: id, call: id }),
  /** The lines that a pending call would change, of each file. */
  call('changed-lines', { turn: id, call: id }),
  /** Opens the diff of a change by a pending call. */
  call('review', { turn: id, call: id, path: z.optional(text) }),
  /** Acts on one file that a turn changed, or on all of them. */
  call('changes', {
    turn: id,
    change: z.optional(id),
    action: z.enum(['diff', 'keep', 'undo', 'redo']),
  }),
  /** Begins to edit the message of a turn, with its attachments. */
  call('edit-message', { turn: id }),
  call('stop-editing', { turn: id }),
  /**
   * Sends this text, with the attachments of the edit, as another version of the turn's message.
   * `restoreFiles` first restores the files that its turn and later ones changed.
   */
  call('resend', { turn: id, text, restoreFiles: z.optional(z.boolean()) }),
  /**
   * `review` shows the files that would be restored if the turn's message was sent again; `undo`
   * and `redo` apply to the files that were restored when it was sent.
   */
  call('restore-files', { turn: id, action: z.enum(['review', 'undo', 'redo']) }),
  /** The files that can be restored to before the message of a turn. */
  call('find-restorable', { turn: id }),
  /** Shows the version of a message or reply that this turn is. */
  call('select-version', { turn: id }),
  /** Sends a summary in place of its messages, or the messages again. */
  call('use-summary', { summary: id, used: z.boolean() }),
  /** Carries out the plan of the newest turn in Agent, or first puts it into the composer. */
  call('plan', { turn: id, action: z.enum(['start', 'edit']) }),
  /** Sends the text as a side chat, in a copy of the chat. */
  call('ask-side-chat', { text }),
  /**
   * Closes the side chat. `open` opens its chat in a tab; `attach` attaches it with its reply to the
   * next message.
   */
  call('close-side-chat', { action: z.optional(z.enum(['open', 'attach'])) }),
  /** What the reply of a turn cost. */
  call('reply-cost', { turn: id }),
  /** Opens a new chat that begins with everything up to the turn. */
  call('fork', { turn: id }),
  /** Opens a copy of a chat that is open in another window. */
  call('continue-in-copy', {}),
  /** Reads a chat that is open in another window anew, to write it if it is no longer open there. */
  call('reload-chat', {}),
  call('set-options', { options: requestOptions }),
  /** Sends tools again to the model, which refused them. */
  call('try-tools', {}),
  /** Sets how much the selected model thinks, in all chats; without `effort`, as it does by default. */
  call('set-effort', { effort: z.optional(z.enum(effortLevels)) }),
  call('remove-attachment', { attachment: id, edited }),
  /** The completions of the word at the cursor. */
  call('complete', {
    trigger: z.enum(['@', '/']),
    query: z.string().check(z.maxLength(1000)),
    edited,
  }),
  /** Waits for the next, longer list for the word of the last `complete`. */
  call('more-completions', { edited }),
  /** Attaches an item of the last lists of completions, or runs its action. */
  call('choose-completion', { id: z.string().check(z.maxLength(2000)), edited }),
  /** Opens a picker in VS Code to choose an attachment. */
  call('attach', { edited }),
  call('attach-offered', { attachment: id }),
  /** Dropped or pasted URIs or paths of files. */
  call('attach-addresses', {
    addresses: z.array(z.string().check(z.maxLength(5000))).check(z.maxLength(100)),
    edited,
  }),
  call('attach-image', {
    name: z.string().check(z.maxLength(200)),
    base64: imageBase64,
    edited,
  }),
  /** Replaces an image from a file with a scaled one. */
  call('scale-image', { attachment: id, base64: imageBase64, edited }),
  /** Attaches pasted text under an id that the view chose. */
  call('attach-text', {
    id: z.string().check(z.regex(/^pasted-[\w-]{1,100}$/)),
    text,
    language: z.string().check(z.regex(/^[\w#+.-]{0,40}$/)),
    edited,
  }),
  call('read-image', { hash: id }),
  call('read-attachment', { attachment: id, edited }),
  /** Opens the attachment, or its diff to the version that was sent. */
  call('show-attachment', { attachment: id, edited }),
  /** Opens a saved chat in the same place. */
  call('open-chat', { chat: id }),
  /** Shows the actions on the context of the next message. */
  call('show-context', {}),
  call('run', { command: z.enum(viewCommands) }),
  /** Shows the setting for budgets. */
  call('raise-budget', {}),
  call('copy', { text }),
  /** `label` is the text of the link, used to detect a misleading one. */
  call('open-link', { href: z.string().check(z.maxLength(20_000)), label: text }),
  call('insert-at-cursor', { text }),
  call('new-file', { text, language, path: z.optional(path) }),
  /** Shows code of a reply as a change of a file; without a path, of the file in the editor. */
  call('apply-to-file', { text, language, path: z.optional(path) }),
  /** Inserts a command into a terminal without running it. */
  call('run-in-terminal', { text }),
  /** Shows a diagram in the Markdown preview. */
  call('open-preview', { text }),
  /** The places that words of a reply name in the workspace. */
  call('find-references', { words: z.array(referenceWord).check(z.maxLength(200)) }),
  /** Opens only files of the workspace. */
  call('open-file', { path, line: z.optional(z.int().check(z.minimum(1))) }),
]);

/** The lines that a call would change in a file, by its path as displayed. */
export interface FileLines {
  readonly path: string;
  readonly change: ChangedLines;
}

export type CallParameters = ParametersOf<z.infer<typeof callSchema>>;
export type CallName = keyof CallParameters;
export type Call<N extends CallName = CallName> = CallOf<CallParameters, N>;

/** The results of calls that have one. */
interface Values {
  /** Undefined if another search was started in the meantime. */
  readonly find: FindResult | undefined;
  readonly 'find-restorable': RestorableFiles;
  readonly 'changed-lines': readonly FileLines[];
  readonly 'reply-cost': ReplyCost;
  /** Places in the order of the words; null for a word that names nothing in the workspace. */
  readonly 'find-references': readonly (ReferencePlace | null)[];
  readonly complete: Completions;
  /** Undefined if there are no more, or another list was requested in the meantime. */
  readonly 'more-completions': Completions | undefined;
  /** A data URL; undefined if the image is missing. */
  readonly 'read-image': string | undefined;
  /** Undefined if it is no longer attached. */
  readonly 'read-attachment': string | undefined;
}

export type CallResults = ResultsOf<CallParameters, Values>;
export type Handlers<N extends CallName> = HandlersOf<CallParameters, CallResults, N>;
