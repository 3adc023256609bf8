import { lastTurn, type Conversation } from '../core/conversation/conversation.ts';
import { disposeAll, type Disposable, type Event } from '../core/support/event.ts';
import { ContextFlags } from './contextFlags.ts';
import { contextKeys } from './contributions.ts';

interface CommandContextOptions {
  readonly chats: WindowChats;
  /** The requests outside chats. */
  readonly running: { readonly isEmpty: boolean; readonly onDidChange: Event<unknown> };
}

interface WindowChats {
  readonly all: readonly { readonly isBusy: boolean }[];
  readonly focused: {
    readonly isRunning: boolean;
    readonly conversation: Conversation;
  };
  readonly onDidChange: Event<unknown>;
  readonly onDidShow: Event<unknown>;
}

/** Sets context keys, so that the Command Palette lists only commands that can act on something. */
export class CommandContext implements Disposable {
  readonly #options: CommandContextOptions;
  readonly #flags = new ContextFlags();
  readonly #listening: readonly Disposable[];

  constructor(options: CommandContextOptions) {
    const { chats, running } = options;
    this.#options = options;
    const update = (): void => this.#update();
    this.#listening = [
      chats.onDidChange(update),
      chats.onDidShow(update),
      running.onDidChange(update),
    ];
    update();
  }

  dispose(): void {
    disposeAll(this.#listening);
  }

  #update(): void {
    const { chats, running } = this.#options;
    const { conversation, isRunning } = chats.focused;
    const isAnyBusy = !running.isEmpty || chats.all.some(({ isBusy }) => isBusy);
    this.#flags.set(contextKeys.running, isRunning);
    this.#flags.set(contextKeys.hasChat, lastTurn(conversation) !== undefined);
    this.#flags.set(contextKeys.requestsRunning, isAnyBusy);
  }
}
