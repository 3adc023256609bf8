import * as vscode from 'vscode';
import { runningTurns } from '../../core/conversation/comparison.ts';
import { comparedTurns, shownTurn } from '../../core/conversation/comparison.ts';
import { canContinue, type UserMessage, type Turn } from '../../core/conversation/conversation.ts';
import type { HostRequest } from '../../protocol/hostChannel.ts';
import type { PanelDecision } from '../approval/panelDecisions.ts';
import type {
  AttachmentActions,
  AttachmentRequest,
} from '../attachments/attachmentRequestHandler.ts';
import type { Composer } from '../attachments/composer.ts';
import type { ReplyActions } from '../code/replyActions.ts';
import type { ExpandedMessage } from '../code/slashCommands.ts';
import { commands } from '../contributions.ts';
import { windowDialogs } from '../dialogs.ts';
import { raiseBudget } from '../errorReporter.ts';
import { UserError } from '../errors.ts';
import { openLink } from '../workspace/editorActions.ts';
import type { Chat } from './chat.ts';
import type { ConversationStore } from './conversationStore.ts';
import type { EditedMessages } from './editedMessages.ts';
import type { FileRestores } from './fileRestores.ts';
import type { MessageQueue } from './messageQueue.ts';
import { modelToRetry } from './nextTurn.ts';

export interface ViewRequestHandlerOptions {
  readonly chat: Chat;
  readonly composer: Pick<
    Composer,
    'attachments' | 'clearAttachments' | 'acceptDraft' | 'attached' | 'waitFor'
  >;
  readonly queue: Pick<
    MessageQueue,
    | 'messages'
    | 'edited'
    | 'add'
    | 'next'
    | 'send'
    | 'remove'
    | 'move'
    | 'edit'
    | 'stopEditing'
    | 'putBack'
  >;
  readonly store: Pick<ConversationStore, 'continueHere'>;
  /** Asks whether a reply that runs in another window is to be stopped there. */
  readonly confirmTakeOver: () => Promise<boolean>;
  readonly edits: Pick<EditedMessages, 'of' | 'begin' | 'end'>;
  /** The id under which the chat is stored, which may be a copy. */
  readonly storedId: () => string;
  /**
   * Called when a message is about to be sent. Returns the chat that it belongs into: another one if
   * that was opened in this moment.
   */
  readonly chatFor: (message: UserMessage, model: string) => SendingChat | undefined;
  /** Expands a slash command into the message to send; undefined if there is nothing to send. */
  readonly expand: (message: UserMessage) => Promise<ExpandedMessage | undefined>;
  readonly restores: Pick<FileRestores, 'restore' | 'review' | 'change'>;
  readonly tools: ToolActions;
  readonly replies: ReplyActions;
  readonly attachments: Pick<AttachmentActions, 'handle'>;
  /** The selected model. Lets the person connect and select one first; rejects if they do not. */
  readonly requireModel: () => Promise<string>;
  /** A model for this message only; undefined if the person cancels. */
  readonly pickModel: () => Promise<string | undefined>;
  /** Two or three models that a message is sent to at once; undefined if the person cancels. */
  readonly pickModels: (message: UserMessage) => Promise<readonly string[] | undefined>;
  /** Gives the panel the focus after a picker, from which VS Code gives it to the editor. */
  readonly focus: () => Promise<void>;
}

/** A chat that messages are sent in. */
interface SendingChat {
  readonly chat: Pick<Chat, 'isRunning'>;
  readonly queue: Pick<MessageQueue, 'messages' | 'add' | 'next' | 'send'>;
}

type ReplyActionRequest = Extract<
  HostRequest,
  {
    readonly type:
      | 'copy'
      | 'open-link'
      | 'insert-at-cursor'
      | 'new-file'
      | 'apply-to-file'
      | 'run-in-terminal'
      | 'open-preview'
      | 'open-file'
      | 'choose-reply'
      | 'compare'
      | 'fork'
      | 'open-chat'
      | 'show-context'
      | 'raise-budget';
  }
>;

type RetryRequest = Extract<HostRequest, { readonly type: 'retry' | 'retry-without-tools' }>;

type QueueRequest = Extract<
  HostRequest,
  { readonly type: 'unqueue' | 'move-queued' | 'edit-queued' | 'stop-editing-queued' }
>;

type EditRequest = Extract<
  HostRequest,
  { readonly type: 'edit-message' | 'stop-editing' | 'resend' }
>;

/**
 * Handles the requests of the view. The only approval it passes on is a click on an edit that is
 * waiting for approval in the panel.
 */
export class ViewRequestHandler {
  readonly #options: ViewRequestHandlerOptions;

  constructor(options: ViewRequestHandlerOptions) {
    this.#options = options;
  }

  /** Rejects what only the window that writes the chat may do, where that is another one. */
  async handle(request: HostRequest): Promise<void> {
    if (changesChat(request)) this.#options.chat.requireWrite();
    return request.type === 'continue-here' ? this.#continueHere() : this.#fulfil(request);
  }

  async #fulfil(request: Exclude<HostRequest, { type: 'continue-here' }>): Promise<void> {
    const { chat } = this.#options;
    switch (request.type) {
      case 'send':
        return this.#send(request.text);
      case 'stop':
        chat.stop(request.turn);
        return;
      case 'retry':
      case 'retry-without-tools':
        return this.#retry(request);
      case 'continue':
        begin(this.#continue(request.turn));
        return;
      case 'resume':
        chat.resume(request.turn);
        return;
      case 'unqueue':
      case 'move-queued':
      case 'edit-queued':
      case 'stop-editing-queued':
        this.#handleQueue(request);
        return;
      case 'decide':
        return this.#decide(request);
      case 'review':
      case 'changes':
        return this.#showChange(request);
      case 'edit-message':
      case 'stop-editing':
      case 'resend':
        return this.#handleEdit(request);
      case 'restore-files':
        return this.#restoreFiles(request.turn, request.action);
      case 'select-version':
        this.#requireEnd();
        return chat.selectVersion(request.turn);
      case 'use-summary':
        this.#requireEnd();
        return chat.useSummary(request.summary, request.used);
      case 'set-options':
        chat.setOptions(request.options);
        return;
      case 'run':
        await vscode.commands.executeCommand(commands[request.command]);
        return;
      case 'attach':
      case 'attach-text':
      case 'attach-addresses':
      case 'attach-image':
      case 'scale-image':
      case 'attach-offered':
      case 'choose-completion':
      case 'remove-attachment':
      case 'show-attachment':
        return this.#handleAttachment(request);
      default:
        return this.#handleReplyAction(request);
    }
  }

  #showChange(request: Extract<HostRequest, { type: 'review' | 'changes' }>): Promise<void> {
    const { tools } = this.#options;
    return request.type === 'review'
      ? tools.review(request.turn, request.call, request.path)
      : tools.change(request.turn, request.change, request.action);
  }

  /** The buttons of queued messages. */
  #handleQueue(request: QueueRequest): void {
    const { queue } = this.#options;
    switch (request.type) {
      case 'unqueue':
        queue.remove(request.message);
        return;
      case 'move-queued':
        queue.move(request.message, request.by);
        return;
      case 'edit-queued':
        if (!queue.edit(request.message)) throw noLongerQueued();
        return;
      case 'stop-editing-queued':
        queue.stopEditing();
    }
  }

  /** The buttons and links of a reply, and those that lead to something else. */
  async #handleReplyAction(request: ReplyActionRequest): Promise<void> {
    const { storedId, replies } = this.#options;
    switch (request.type) {
      case 'copy':
        await vscode.env.clipboard.writeText(request.text);
        return;
      case 'open-link':
        return openLink(request.href, request.label);
      case 'insert-at-cursor':
        return replies.insert(request.text);
      case 'new-file':
        return replies.newFile(request);
      case 'apply-to-file':
        return replies.apply(request);
      case 'run-in-terminal':
        return replies.runInTerminal(request.text);
      case 'open-preview':
        return replies.preview(request.text);
      case 'open-file':
        return replies.open(request.path, request.line);
      case 'choose-reply':
        return this.#chooseReply(request.turn);
      case 'compare':
        return this.#compare(request.turn);
      case 'fork':
        await vscode.commands.executeCommand(commands.forkChat, storedId(), request.turn);
        return;
      case 'open-chat':
        await vscode.commands.executeCommand(commands.openChat, request.chat);
        return;
      case 'show-context':
        return showContext();
      case 'raise-budget':
        return raiseBudget();
    }
  }

  async #send(text: string): Promise<void> {
    const { chat, composer, expand, queue, requireModel } = this.#options;
    const { edited } = queue;
    if (text.trim() === '') {
      if (queue.messages.length === 0 || edited !== undefined)
        throw new UserError(vscode.l10n.t('Type a message first.'));
      if (!chat.isRunning) queue.next();
      return;
    }
    await composer.attached();
    const typed: UserMessage = { text, attachments: composer.attachments };
    const expanded = text.startsWith('/') ? await expand(typed) : { message: typed };
    if (expanded === undefined) {
      composer.acceptDraft(text);
      if (edited !== undefined) queue.remove(edited);
      return;
    }
    const { message } = expanded;
    const model = expanded.model ?? (await requireModel());
    await chat.checkMessage(message, [model]);
    chat.requireWrite();
    if (edited !== undefined) {
      this.#putBack(edited, text, message, model);
      return;
    }
    composer.clearAttachments();
    composer.acceptDraft(text);
    sendIn(this.#options.chatFor(message, model) ?? this.#options, message, model);
  }

  async #continueHere(): Promise<void> {
    const { chat, store, confirmTakeOver } = this.#options;
    const isRunning = chat.isReadOnly && runningTurns(chat.conversation).length > 0;
    if (isRunning && !(await confirmTakeOver())) return;
    const result = await store.continueHere();
    if (result === 'too-late')
      throw new UserError(vscode.l10n.t('Another window took over this chat.'));
    if (result === 'deleted') throw new UserError(vscode.l10n.t('This chat is no longer saved.'));
  }

  #putBack(edited: string, text: string, message: UserMessage, model: string): void {
    const { composer, queue } = this.#options;
    if (queue.messages.every(({ id }) => id !== edited)) throw noLongerQueued();
    composer.acceptDraft(text);
    queue.putBack(edited, message, model);
  }

  async #handleAttachment(request: AttachmentRequest): Promise<void> {
    const { type } = request;
    if (type === 'attach-text' || type === 'attach-image' || type === 'scale-image')
      return this.#attachPasted(request);
    await this.#options.attachments.handle(request);
    if (request.type === 'attach') await this.#options.focus();
  }

  /** A message that is sent right after a paste waits for the pasted text or image. */
  #attachPasted(
    request: Extract<HostRequest, { type: 'attach-text' | 'attach-image' | 'scale-image' }>,
  ): Promise<void> {
    const { attachments, composer, edits } = this.#options;
    const attaching = attachments.handle(request);
    const { edited } = request;
    (edited === undefined ? composer : edits.of(edited))?.waitFor(attaching);
    return attaching;
  }

  async #retryWithoutTools(id: string): Promise<void> {
    const turn = this.#find(id);
    const model = await this.#modelToRetry(turn);
    begin(this.#options.chat.resend(id, { model, withoutTools: true }));
  }

  async #decide(request: Extract<HostRequest, { type: 'decide' }>): Promise<void> {
    const { turn, call, decision } = request;
    if (await this.#options.tools.decide(turn, call, decision)) return;
    throw new UserError(vscode.l10n.t('This call is no longer waiting for approval.'));
  }

  async #retry(request: RetryRequest): Promise<void> {
    const { turn: id } = request;
    if (request.type === 'retry-without-tools') return this.#retryWithoutTools(id);
    const { chat, pickModel } = this.#options;
    const turn = this.#find(id);
    const chosen = request.chooseModel ? await pickModel() : await this.#modelToRetry(turn);
    if (chosen === undefined) return;
    await chat.checkMessage(turn.question, [chosen]);
    begin(chat.resend(id, { model: chosen }));
  }

  async #chooseReply(turn: string): Promise<void> {
    const { chat, queue } = this.#options;
    chat.stop();
    await chat.selectVersion(turn);
    // Messages wait where a reply was stopped, but the person goes on with this one.
    if (!chat.isRunning) queue.next();
  }

  /** Compared replies are about their models, so each is sent again to its own. */
  async #modelToRetry(turn: Turn): Promise<string> {
    const { chat, requireModel } = this.#options;
    const isCompared = comparedTurns(chat.conversation).includes(turn);
    return isCompared ? turn.model : modelToRetry(turn, requireModel);
  }

  /** Lets the person choose models that the message of the newest turn is sent to as well. */
  async #compare(id: string): Promise<void> {
    const { chat, pickModels } = this.#options;
    const { question } = this.#find(id);
    const models = await pickModels(question);
    if (models === undefined) return;
    await chat.checkMessage(question, models);
    chat.compare(question, models, id).catch(() => undefined);
  }

  async #continue(id: string): Promise<Turn> {
    const { chat } = this.#options;
    const turn = this.#find(id);
    const isCompared = comparedTurns(chat.conversation).includes(turn);
    const isNewest = isCompared || turn === chat.conversation.turns.at(-1);
    if (!isNewest || !canContinue(turn))
      throw new UserError(vscode.l10n.t("There's nothing left to continue."));
    if (isCompared) await chat.selectVersion(id);
    return chat.continue();
  }

  /** Requests about an earlier message that is edited. */
  async #handleEdit(request: EditRequest): Promise<void> {
    const { chat, edits } = this.#options;
    if (request.type === 'resend') return this.#resend(request);
    const turn = chat.conversation.turns.find(({ id }) => id === request.turn);
    if (request.type === 'stop-editing') edits.end(request.turn);
    else if (turn !== undefined) edits.begin(turn.id, turn.question.attachments);
  }

  async #resend(request: Extract<HostRequest, { type: 'resend' }>): Promise<void> {
    const { chat, edits, requireModel, restores } = this.#options;
    const { turn: id, text } = request;
    if (text.trim() === '') throw new UserError(vscode.l10n.t('Type a message first.'));
    const { question } = this.#find(id);
    await edits.of(id)?.attached();
    const { attachments } = edits.of(id) ?? question;
    const model = await requireModel();
    await chat.checkMessage({ text, attachments }, [model]);
    chat.requireWrite();
    // Last, so that nothing is restored for a message that is not sent.
    const fileRestore = request.restoreFiles === true ? await restores.restore(id) : undefined;
    edits.end(id);
    begin(chat.resend(id, { text, attachments, model, fileRestore }));
  }

  #restoreFiles(turn: string, action: 'review' | 'undo' | 'redo'): Promise<void> {
    const { restores } = this.#options;
    return action === 'review' ? restores.review(turn) : restores.change(turn, action);
  }

  #find(id: string): Turn {
    const { chat } = this.#options;
    const turn = shownTurn(chat.conversation, id);
    this.#requireEnd();
    if (turn === undefined) throw new UserError(vscode.l10n.t('This message no longer exists.'));
    return turn;
  }

  #requireEnd(): void {
    if (this.#options.chat.isRunning)
      throw new UserError(vscode.l10n.t('Wait for the reply, or stop it first.'));
  }
}

const changing: readonly HostRequest['type'][] = [
  'send',
  'stop',
  'retry',
  'continue',
  'retry-without-tools',
  'resume',
  'decide',
  'review',
  'resend',
  'restore-files',
  'choose-reply',
  'compare',
  'select-version',
  'use-summary',
  'set-options',
];

/** Whether only the window that writes the chat may fulfil a request. */
function changesChat(request: HostRequest): boolean {
  return request.type === 'changes' ? request.action !== 'diff' : changing.includes(request.type);
}

function noLongerQueued(): UserError {
  return new UserError(vscode.l10n.t('This message is no longer queued.'));
}

/** Offers what can be done about the context of the next message. */
async function showContext(): Promise<void> {
  const { l10n } = vscode;
  const choices = [
    { label: l10n.t('Show Next Request'), icon: 'eye', value: commands.showRequest },
    { label: l10n.t('Shorten Chat…'), icon: 'fold', value: commands.shortenChat },
  ];
  const command = await windowDialogs.pick(choices, l10n.t('Context'));
  if (command !== undefined) await vscode.commands.executeCommand(command);
}

/** Sends a message at once, or when the turns before it have ended. */
function sendIn({ chat, queue }: SendingChat, message: UserMessage, model: string): void {
  if (!chat.isRunning && queue.messages.length === 0) {
    queue.send(message, model);
    return;
  }
  queue.add(message, model);
  if (!chat.isRunning) queue.next();
}

/** The turn shows its own errors; the request is fulfilled once the turn has started. */
function begin(turn: Promise<Turn>): void {
  turn.catch(() => undefined);
}

/** Actions of the panel on tool calls and the files they changed. */
export interface ToolActions {
  /** Resolves with false if no such call is waiting for approval. */
  decide(turn: string, call: string, decision: PanelDecision): Promise<boolean>;
  /** Shows the diff of a call that is waiting for approval. */
  review(turn: string, call: string, path: string | undefined): Promise<void>;
  /** Applies the action to one file that the turn changed, or to all. */
  change(
    turn: string,
    change: string | undefined,
    action: 'diff' | 'keep' | 'undo' | 'redo',
  ): Promise<void>;
}
