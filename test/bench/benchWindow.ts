import { Emitter } from '../../src/core/support/event.ts';
import type { Clock } from '../../src/core/support/clock.ts';
import type { ChatHost } from '../../src/host/chat/chat.ts';
import type { JournalStorage } from '../../src/host/chat/journal.ts';
import type { Chat } from '../../src/host/chat/chat.ts';
import type { OpenChats } from '../../src/host/chat/openChats.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { FakePlace, openChats, Page, pagesOf } from '../unit/host/chat/openChatRig.ts';
import { FakeMemento } from '../unit/host/fakes.ts';

export interface BenchWindowOptions {
  readonly clock: Clock;
  readonly storage: JournalStorage;
  readonly connect: ChatHost['connect'];
  /** Maximum number of idle chats in memory; the extension's default if absent. */
  readonly mostIdle?: number;
}

/** The chats of a window, as in the extension host. */
export function benchWindow({
  connect,
  mostIdle,
  ...windowOptions
}: BenchWindowOptions): OpenChats {
  const options = { ...windowOptions, state: new FakeMemento(), chat: { connect } };
  return openChats(options, mostIdle).chats;
}

/** Milliseconds until a page acknowledges a message. */
const viewTime = 5;

/** A tab with a page that accepts all messages and draws nothing. */
export class BenchTab extends FakePlace {
  readonly #page: InstanceType<typeof Page>;
  readonly #fromView = new Emitter<unknown>();
  readonly #chats: OpenChats;
  #loaded: (() => void) | undefined;

  constructor(chats: OpenChats, openedChat: Chat) {
    super(chats, openedChat);
    this.#chats = chats;
    this.#page = new Page(
      { post: (message) => this.#receive(message), listen: this.#fromView.event },
      openedChat,
      pagesOf(chats),
      () => undefined,
    );
    chats.addPlace(this);
  }

  /** Loads the page. Resolves when it has its chat. */
  async load(): Promise<void> {
    const loaded = new Promise<void>((resolve) => (this.#loaded = resolve));
    this.#fromView.fire({ type: 'ready' });
    await loaded;
    await this.chat.allRead();
  }

  hide(): void {
    this.isVisible = false;
    this.#chats.notePlaces();
  }

  override replace(open: Chat): void {
    this.#page.replace(open);
    super.replace(open);
  }

  #receive(message: HostMessage): void {
    // VS Code serializes messages to a webview.
    JSON.stringify(message);
    if (message.type === 'snapshot') this.#loaded?.();
    if (message.type === 'events')
      setTimeout(() => this.#fromView.fire({ type: 'acknowledge' }), viewTime);
  }
}
