import * as vscode from 'vscode';
import type { UserMessage } from '../../core/conversation/conversation.ts';
import { estimatedMoney, formatTokens } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import { modelToRetry } from '../../core/turn/nextTurn.ts';
import { ask, type AskResult } from './ask.ts';
import type { Chat } from './chat.ts';
import type { OpenChats } from './openChats.ts';
import type { Connection } from '../service/connection.ts';
import type { ModelChoice, Models } from '../service/models.ts';
import { windowDialogs } from '../platform/dialogs.ts';
import type { RunningRequests } from '../usage/runningRequests.ts';

/** The commands on the chat in focus. */
export class FocusedChat {
  readonly #chats: OpenChats;
  readonly #connection: Pick<Connection, 'stateOf'>;
  readonly #choice: Pick<ModelChoice, 'current'>;
  readonly #models: Pick<Models, 'requireModel'>;
  /** Empty chats that are about to get a message. */
  readonly #aboutToSend = new Set<Chat>();

  constructor(
    chats: OpenChats,
    connection: Pick<Connection, 'stateOf'>,
    choice: Pick<ModelChoice, 'current'>,
    models: Pick<Models, 'requireModel'>,
  ) {
    this.#chats = chats;
    this.#connection = connection;
    this.#choice = choice;
    this.#models = models;
  }

  /** The selected model. If the person had to connect first, the page is focused again. */
  async requireModel(): Promise<string> {
    const { id } = this.#choice.current();
    const isReady = this.#connection.stateOf(id).kind !== 'none' && id !== '';
    const model = await this.#models.requireModel();
    if (!isReady) await this.#chats.reveal(false);
    return model;
  }

  /** Shows the chat, and sends a message there. */
  async send(message: UserMessage): Promise<void> {
    const model = await this.#models.requireModel();
    await this.#chats.reveal(true);
    await this.#chats.focused.send(message, model);
  }

  /** `aside.ask` */
  ask(prompt: unknown, options: unknown): Promise<AskResult | undefined> {
    return ask(
      {
        showChat: (isNew) => this.#chatToAsk(isNew),
        model: () => this.#choice.current().id,
        requireModel: () => this.#models.requireModel(),
      },
      prompt,
      options,
    );
  }

  /** `aside.newChat`: a running reply goes on, and so does a message that the page has sent. */
  async newChat(): Promise<void> {
    const { active } = this.#chats.places;
    if (active?.chat.isBlank === false) active.show(this.#chats.create());
    await active?.reveal(false);
  }

  /** `aside.stop` */
  stop(): void {
    this.#chats.focused.stop();
  }

  /** `aside.retry`: runs the last turn again. */
  async retry(): Promise<void> {
    const { active } = this.#chats.places;
    const chat = this.#chats.focused;
    await chat.allRead();
    const turn = chat.conversation.turns.at(-1);
    if (turn === undefined || chat.isRunning) return;
    const model = await modelToRetry(turn, () => this.#models.requireModel());
    await active?.reveal(true);
    await chat.resend(turn.id, { model });
  }

  /** Attaches to the next message, which waits for it: text typed from now on belongs there. */
  async attach(attach: (chat: Chat) => Promise<void>): Promise<void> {
    const chat = this.#chats.focused;
    const attaching = attach(chat);
    chat.composer.waitFor(attaching);
    await Promise.all([attaching, this.#chats.reveal(false)]);
  }

  /** `aside.askAside`: asks for a side chat, with what is typed as a proposal. */
  async askAside(): Promise<void> {
    const chat = this.#chats.focused;
    const { sideChatCost, connection } = chat.panel.current();
    const { tokens, price, currency = '' } = sideChatCost;
    const { language } = vscode.env;
    const cost =
      price === undefined || connection.kind === 'demo'
        ? counted(vscode.l10n.t('{0} tokens'), tokens, language, formatTokens(tokens, true))
        : estimatedMoney(tokens * price, currency, language);
    const { draft } = chat.composer;
    const text = await windowDialogs.prompt({
      title: vscode.l10n.t('Ask Aside'),
      prompt: vscode.l10n.t('Estimated cost, not including the reply: {0}', cost),
      // The box has one line.
      value: draft.includes('\n') ? undefined : draft,
      check: () => undefined,
    });
    if (text !== undefined) await chat.request({ name: 'ask-side-chat', parameters: { text } });
    await this.#chats.reveal(false);
  }

  /** A new chat runs unseen if it would take the person away from a running reply. */
  async #chatToAsk(isNew: boolean): Promise<Chat> {
    const chats = this.#chats;
    const { active } = chats.places;
    const chat = chats.focused;
    await chat.allRead();
    if (isNew && (chat.isBusy || this.#aboutToSend.has(chat))) return chats.create();
    if (isNew && !chat.isBlank) active?.show(chats.create());
    const target = active?.chat ?? chat;
    if (target.isBlank) this.#aboutToSend.add(target);
    await active?.reveal(true);
    this.#aboutToSend.delete(target);
    return target;
  }
}

export function busyChats(chats: OpenChats): readonly Chat[] {
  return chats.all.filter(({ isBusy }) => isBusy);
}

/**
 * `aside.stopAll`: stops each chat like its Stop button.
 *
 * @param running the requests outside chats
 */
export function stopAll(chats: OpenChats, running: RunningRequests): void {
  const busy = busyChats(chats);
  if (running.isEmpty && busy.length === 0)
    windowDialogs.showInformation(vscode.l10n.t('No requests are running.'));
  for (const chat of busy) chat.stop();
  running.stop();
}
