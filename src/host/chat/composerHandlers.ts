import * as vscode from 'vscode';
import { planCommand } from '../../core/code/codeCommands.ts';
import type { Conversation, UserMessage } from '../../core/conversation/conversation.ts';
import { openPlan } from '../../core/conversation/mode.ts';
import { withUnsent } from '../../protocol/draftText.ts';
import type { Handlers, CallName, Starter } from '../../protocol/rpc.ts';
import { leadBackToComposer } from '../../protocol/viewCommands.ts';
import type { AttachmentCallName } from '../attachments/messageAttachments.ts';
import type { ExpandedMessage } from '../editor/slashCommands.ts';
import { commands } from '../contributions.ts';
import { windowDialogs } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import type { Chat } from './chat.ts';
import type { WaitingMessage } from './messageQueue.ts';
import type { OpenChats } from './openChats.ts';

/** What the window does for the composers of its chats. */
export interface ComposerWindow {
  /** Replaces a `/` command by its message; undefined if the command sends none. */
  expand(message: UserMessage): Promise<ExpandedMessage | undefined>;
  /** Called with a starter and its message, before that is sent. */
  noteStarter(message: string, starter: Starter): void;
  /** `reveal` focuses the panel after a picker, since VS Code would focus the editor. */
  readonly chats: Pick<OpenChats, 'create' | 'isPlaced' | 'reveal'>;
  /** Deletes the chat of a closed side chat. */
  discard(id: string): Promise<void>;
  isTainted(chat: Conversation): boolean;
}

/**
 * The message of a text with the composer's attachments, and its model. Undefined if the text is a
 * command that sends none.
 */
export async function prepareMessage(
  { composer, models }: Chat,
  text: string,
  expand: ComposerWindow['expand'],
): Promise<Omit<WaitingMessage, 'id'> | undefined> {
  await composer.attached();
  const typed: UserMessage = { text, attachments: composer.attachments };
  const expanded = text.startsWith('/') ? await expand(typed) : { message: typed };
  if (expanded === undefined) return undefined;
  const { message, model } = expanded;
  const mode = message.plan === true ? 'ask' : undefined;
  return { message, model: model ?? (await models.requireModel(mode)) };
}

/** Handles calls of the composer: messages, the queue, the side chat and attachments. */
export function composerHandlers(
  chat: Chat,
  attachments: Handlers<AttachmentCallName>,
  window: ComposerWindow,
) {
  const { composer, edits, models, queue, side } = chat;
  const { chats } = window;
  const prepare = (text: string) => prepareMessage(chat, text, (message) => window.expand(message));

  const send = async (text: string, now: boolean): Promise<void> => {
    const { inComposer } = queue;
    if (text.trim() === '') {
      if (queue.isEmpty || inComposer !== undefined) throw noText();
      if (!chat.isRunning) chat.sendQueued();
      return;
    }
    const prepared = await prepare(text);
    if (prepared === undefined) {
      composer.acceptDraft(text);
      if (inComposer !== undefined) queue.remove(inComposer);
      chat.sendNext();
      return;
    }
    const { message, model } = prepared;
    // It goes to the model of the running turn.
    const joined = now && message.plan !== true ? chat.turnToJoin : undefined;
    await chat.checkMessage(message, [model, ...(joined === undefined ? [] : [joined.model])]);
    chat.access.requireWrite();
    if (inComposer !== undefined) {
      if (!queue.has(inComposer)) throw noLongerQueued();
      composer.acceptDraft(text);
      queue.replace(inComposer, message, model);
      if (!chat.isRunning) chat.sendQueued();
      else if (joined !== undefined) queue.setNow(inComposer);
      return;
    }
    composer.clearAttachments();
    composer.acceptDraft(text);
    // A plan reads. The person typed that, so the mode may be raised for it; Agent is left at its turn.
    if (message.plan === true && chat.mode === 'chat') chat.setMode('ask');
    if (joined !== undefined) chat.postNow(message, model);
    else chat.post(message, model);
  };

  /** Sends a message to the side chat. Nothing of it reaches the chat. */
  const sendToSideChat = async (text: string): Promise<void> => {
    if (text.trim() === '') throw noText();
    const { inComposer } = queue;
    const prepared = await prepare(text);
    if (prepared !== undefined) {
      const { message, model } = prepared;
      await chat.checkMessage(message, [model]);
      await side.send(message, model, () => chats.create());
      // A queued message that is edited stays in the composer.
      if (inComposer !== undefined) return;
      composer.clearAttachments();
    }
    composer.acceptDraft(text);
    if (prepared !== undefined || inComposer === undefined) return;
    queue.remove(inComposer);
    chat.sendNext();
  };

  /** A message that is sent right after a paste waits for the pasted text or image. */
  const attachPasted =
    <P extends { readonly edited?: string | undefined }>(
      attach: (pasted: P) => void | Promise<void>,
    ) =>
    async (pasted: P): Promise<void> => {
      const attaching = Promise.resolve(attach(pasted));
      const { edited } = pasted;
      (edited === undefined ? composer : edits.of(edited))?.waitFor(attaching);
      return attaching;
    };

  const handlers = {
    ...attachments,
    send({ text, starter, now }) {
      if (starter !== undefined) window.noteStarter(text, starter);
      return send(text, now === true);
    },
    async 'send-now'({ message: id }) {
      const waiting = queue.find(id);
      if (waiting === undefined) throw noLongerQueued();
      const joined = chat.turnToJoin;
      if (joined === undefined) return;
      await chat.checkMessage(waiting.message, [joined.model]);
      queue.setNow(id);
    },
    /**
     * Switches the chat to Agent because the person clicked a button below a plan. No command does
     * the same: other code can only lower the mode (threats: T04).
     */
    async plan({ turn, action }) {
      const start = planCommand.start(vscode.l10n);
      const message = { text: start, attachments: [] };
      const model = action === 'start' ? await models.requireModel('agent') : '';
      if (action === 'start') await chat.checkMessage(message, [model]);
      chat.access.requireWrite();
      // A second click finds the first one's message on its way.
      const plan = chat.isBusy ? undefined : openPlan(chat.conversation);
      if (plan?.turn !== turn)
        throw new UserError(vscode.l10n.t('This plan can no longer be started.'));
      chat.setMode('agent');
      if (action === 'start') chat.post(message, model);
      else await composer.setDraft(withUnsent(`${start}\n\n${plan.text.trim()}`, composer.draft));
    },
    'ask-side-chat': ({ text }) => sendToSideChat(text),
    async 'close-side-chat'({ action }) {
      const attachment =
        action === 'attach' ? side.attachment((side) => window.isTainted(side)) : undefined;
      if (attachment !== undefined) composer.attach(attachment);
      const closed = side.release();
      if (action === 'open')
        await vscode.commands.executeCommand(commands.openInEditor, closed?.id);
      // A tab may show it, too.
      else if (closed !== undefined && !chats.isPlaced(closed)) await window.discard(closed.id);
    },
    unqueue({ message }) {
      queue.remove(message);
      chat.sendNext();
    },
    'move-queued'({ message, by }) {
      queue.move(message, by);
      chat.sendNext();
    },
    'edit-queued'({ message }) {
      if (!queue.edit(message)) throw noLongerQueued();
    },
    'stop-editing-queued'() {
      queue.stopEditing();
      chat.sendNext();
    },
    'read-attachment'({ attachment: id, edited }) {
      const message = edited === undefined ? composer : edits.of(edited);
      return message?.attachments.find((attachment) => attachment.id === id)?.text;
    },
    async 'show-context'() {
      const choices = [
        { label: vscode.l10n.t('Show Next Request'), icon: 'eye', value: commands.showRequest },
        { label: vscode.l10n.t('Shorten Chat…'), icon: 'fold', value: commands.shortenChat },
      ];
      const command = await windowDialogs.pick(choices, vscode.l10n.t('Context'));
      if (command !== undefined) await vscode.commands.executeCommand(command);
    },
    async run({ command }) {
      const isWhereItWas = watchEditor();
      const isDone: unknown = await vscode.commands.executeCommand(commands[command]);
      // A command that is done has moved the focus on.
      if (leadBackToComposer.includes(command) && isDone !== true && isWhereItWas())
        await chats.reveal(false);
    },
    async attach(parameters) {
      await attachments.attach(parameters);
      await chats.reveal(false);
    },
    'attach-text': attachPasted(attachments['attach-text']),
    'attach-image': attachPasted(attachments['attach-image']),
    'scale-image': attachPasted(attachments['scale-image']),
  } satisfies Partial<Handlers<CallName>>;
  return handlers;
}

function noText(): UserError {
  return new UserError(vscode.l10n.t('Type a message first.'));
}

function noLongerQueued(): UserError {
  return new UserError(vscode.l10n.t('This message is no longer queued.'));
}

/** Returns a function that is true unless the person has gone to another place of an editor. */
function watchEditor(): () => boolean {
  const before = vscode.window.activeTextEditor;
  const selection = before?.selection;
  return () => {
    const now = vscode.window.activeTextEditor;
    return (
      now === before && (selection === undefined || now?.selection.isEqual(selection) === true)
    );
  };
}
