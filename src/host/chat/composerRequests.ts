import * as vscode from 'vscode';
import { planCommand } from '../../core/code/codeCommands.ts';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { type ChatMode, openPlan } from '../../core/conversation/mode.ts';
import { withUnsent } from '../../protocol/draftText.ts';
import type { Call, Handlers, CallParameters, Starter } from '../../protocol/rpc.ts';
import { leadBackToComposer } from '../../protocol/viewCommands.ts';
import type {
  AttachmentActions,
  AttachmentRequestName,
} from '../attachments/attachmentRequestHandler.ts';
import type { Composer } from '../attachments/composer.ts';
import type { ExpandedMessage } from '../code/slashCommands.ts';
import { commands } from '../contributions.ts';
import { windowDialogs } from '../dialogs.ts';
import { UserError } from '../errors.ts';
import type { OpenAside, SideChat } from './aside.ts';
import type { Chat } from './chat.ts';
import type { EditedMessages } from './editedMessages.ts';
import type { MessageQueue } from './messageQueue.ts';

/** What the window does for a composer. */
export interface ComposerActions {
  readonly attachments: AttachmentActions;
  readonly expand: (message: UserMessage) => Promise<ExpandedMessage | undefined>;
  /**
   * The model for a message in a mode, or in that of the chat. Lets the person connect and select one
   * first; rejects if they cancel.
   */
  readonly requireModel: (mode?: ChatMode) => Promise<string>;
  /** Called with a starter and its message, before that is sent. */
  readonly noteStarter: (message: string, starter: Starter) => void;
  /** Focuses the panel after a picker, since VS Code would focus the editor. */
  readonly focus: () => Promise<void>;
}

interface ComposerRequestsOptions extends ComposerActions {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly queue: MessageQueue;
  readonly edits: EditedMessages;
  readonly aside: OpenAside<SideChat>;
}

interface PreparedMessage {
  readonly message: UserMessage;
  readonly model: string;
}

type ComposerRequestName =
  | 'send'
  | 'plan'
  | 'ask-aside'
  | 'close-aside'
  | 'unqueue'
  | 'move-queued'
  | 'edit-queued'
  | 'stop-editing-queued'
  | 'read-attachment'
  | 'show-context'
  | 'run'
  | AttachmentRequestName;

export class ComposerRequests {
  readonly #options: ComposerRequestsOptions;
  readonly handlers: Handlers<ComposerRequestName>;

  constructor(options: ComposerRequestsOptions) {
    this.#options = options;
    const { aside, attachments, composer, edits, focus, noteStarter, queue } = options;
    const textOf = (id: string, edited: string | undefined): string | undefined => {
      const message = edited === undefined ? composer : edits.of(edited);
      return message?.attachments.find((attachment) => attachment.id === id)?.text;
    };
    this.handlers = {
      send: ({ text, starter }) => {
        if (starter !== undefined) noteStarter(text, starter);
        return this.#send(text);
      },
      plan: (parameters) => this.#plan(parameters),
      'ask-aside': ({ text }) => this.#send(text, true),
      'close-aside': async ({ action }) => {
        const attachment = action === 'attach' ? aside.attachment() : undefined;
        if (attachment !== undefined) composer.attach(attachment);
        if (action !== 'open') await aside.close();
        else await vscode.commands.executeCommand(commands.openInEditor, aside.release()?.id);
      },
      unqueue: ({ message }) => queue.remove(message),
      'move-queued': ({ message, by }) => queue.move(message, by),
      'edit-queued'({ message }) {
        if (!queue.edit(message)) throw noLongerQueued();
      },
      'stop-editing-queued': () => queue.stopEditing(),
      'read-attachment': ({ attachment, edited }) => textOf(attachment, edited),
      'show-context': showContext,
      async run({ command }) {
        const isWhereItWas = watchEditor();
        const isDone: unknown = await vscode.commands.executeCommand(commands[command]);
        // A command that is done has moved the focus on.
        if (leadBackToComposer.includes(command) && isDone !== true && isWhereItWas())
          await focus();
      },
      async attach(parameters) {
        await attachments.handle({ name: 'attach', parameters });
        await focus();
      },
      'attach-text': (parameters) => this.#attachPasted({ name: 'attach-text', parameters }),
      'attach-image': (parameters) => this.#attachPasted({ name: 'attach-image', parameters }),
      'scale-image': (parameters) => this.#attachPasted({ name: 'scale-image', parameters }),
      ...handlersOf(attachments),
    };
  }

  /**
   * The message of a text with the composer's attachments, and its model. Undefined if the text is a
   * command that sends none.
   */
  async prepare(text: string): Promise<PreparedMessage | undefined> {
    const { composer, expand, requireModel } = this.#options;
    await composer.attached();
    const typed: UserMessage = { text, attachments: composer.attachments };
    const expanded = text.startsWith('/') ? await expand(typed) : { message: typed };
    if (expanded === undefined) return undefined;
    const { message, model } = expanded;
    const mode = message.plan === true ? 'ask' : undefined;
    return { message, model: model ?? (await requireModel(mode)) };
  }

  /** @param isAside true for a side chat, of which nothing reaches the chat */
  async #send(text: string, isAside = false): Promise<void> {
    const { aside, chat, composer, queue } = this.#options;
    const { edited } = queue;
    if (text.trim() === '') {
      if (isAside || queue.messages.length === 0 || edited !== undefined)
        throw new UserError(vscode.l10n.t('Type a message first.'));
      if (!chat.isRunning) queue.next();
      return;
    }
    const prepared = await this.prepare(text);
    if (prepared === undefined) {
      composer.acceptDraft(text);
      if (edited !== undefined) queue.remove(edited);
      return;
    }
    const { message, model } = prepared;
    await chat.checkMessage(message, [model]);
    if (isAside) await aside.send(message, model);
    else chat.access.requireWrite();
    if (edited !== undefined) {
      if (isAside) return;
      if (queue.messages.every(({ id }) => id !== edited)) throw noLongerQueued();
      composer.acceptDraft(text);
      queue.putBack(edited, message, model);
      return;
    }
    composer.clearAttachments();
    composer.acceptDraft(text);
    if (isAside) return;
    // A plan reads. The person typed that, so the mode may be raised for it; Agent is left at its turn.
    if (message.plan === true && chat.mode === 'chat') chat.setMode('ask');
    if (!chat.isRunning && queue.messages.length === 0) queue.send(message, model);
    else {
      queue.add(message, model);
      if (!chat.isRunning) queue.next();
    }
  }

  /**
   * Switches the chat to Agent because the person clicked a button below a plan. No command does the
   * same: other code can only lower the mode (threats: T04).
   */
  async #plan({ turn, action }: CallParameters['plan']): Promise<void> {
    const { chat, composer, queue, requireModel } = this.#options;
    const start = planCommand.start(vscode.l10n);
    const message = { text: start, attachments: [] };
    const model = action === 'start' ? await requireModel('agent') : '';
    if (action === 'start') await chat.checkMessage(message, [model]);
    chat.access.requireWrite();
    // A second click finds the first one's message on its way.
    const plan = chat.isBusy ? undefined : openPlan(chat.conversation);
    if (plan?.turn !== turn)
      throw new UserError(vscode.l10n.t('This plan can no longer be started.'));
    chat.setMode('agent');
    if (action === 'start') queue.send(message, model);
    else await composer.setDraft(withUnsent(`${start}\n\n${plan.text.trim()}`, composer.draft));
  }

  /** A message that is sent right after a paste waits for the pasted text or image. */
  #attachPasted(call: Call<PastingName>): Promise<void> {
    const { attachments, composer, edits } = this.#options;
    const attaching = attachments.handle(call);
    const { edited } = call.parameters;
    (edited === undefined ? composer : edits.of(edited))?.waitFor(attaching);
    return attaching;
  }
}

type PastingName = 'attach-text' | 'attach-image' | 'scale-image';

function handlersOf(
  attachments: AttachmentActions,
): Handlers<Exclude<AttachmentRequestName, PastingName | 'attach'>> {
  return {
    'attach-addresses': (parameters) =>
      attachments.handle({ name: 'attach-addresses', parameters }),
    'attach-offered': (parameters) => attachments.handle({ name: 'attach-offered', parameters }),
    complete: (parameters) => attachments.handle({ name: 'complete', parameters }),
    'more-completions': (parameters) =>
      attachments.handle({ name: 'more-completions', parameters }),
    'choose-completion': (parameters) =>
      attachments.handle({ name: 'choose-completion', parameters }),
    'remove-attachment': (parameters) =>
      attachments.handle({ name: 'remove-attachment', parameters }),
    'show-attachment': (parameters) => attachments.handle({ name: 'show-attachment', parameters }),
  };
}

function noLongerQueued(): UserError {
  return new UserError(vscode.l10n.t('This message is no longer queued.'));
}

async function showContext(): Promise<void> {
  const choices = [
    { label: vscode.l10n.t('Show Next Request'), icon: 'eye', value: commands.showRequest },
    { label: vscode.l10n.t('Shorten Chat…'), icon: 'fold', value: commands.shortenChat },
  ];
  const command = await windowDialogs.pick(choices, vscode.l10n.t('Context'));
  if (command !== undefined) await vscode.commands.executeCommand(command);
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
