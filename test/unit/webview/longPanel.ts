import type { Conversation } from '../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import { reduce } from '../../../src/core/conversation/reduce.ts';
import { versionsOf } from '../../../src/core/conversation/versions.ts';
import { adjacentTurns, windowAround } from '../../../src/core/conversation/window.ts';
import { Emitter } from '../../../src/core/support/event.ts';
import { ChatFinder } from '../../../src/host/chat/chatFinder.ts';
import { HostChannel } from '../../../src/protocol/hostChannel.ts';
import type { ViewMessage } from '../../../src/protocol/messages.ts';
import type { Call } from '../../../src/protocol/rpc.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { PanelPage, readyState } from './panel.ts';

/** Pixels of a turn and of the view, since jsdom has no layout. */
const turnHeight = 400;
const height = 800;

/** A long chat in the panel, with a host that has all of its turns. */
export class LongPanel {
  readonly page: PanelPage;
  readonly #channel: HostChannel;
  conversation: Conversation;
  #top = 0;
  #cachedLog: Element | undefined;

  private constructor(page: PanelPage, conversation: Conversation, turn: string | undefined) {
    this.page = page;
    this.conversation = conversation;
    const said = new Emitter<ViewMessage>();
    page.listener = (message) => said.fire(message);
    const post = page.post.bind(page);
    this.#channel = new HostChannel({ post, listen: said.event }, this.#handlers());
    this.#layOut();
    said.fire({ type: 'ready', turn });
  }

  /** @param position a visible turn, and how many pixels of it are above the view */
  static async open(conversation: Conversation, position?: [string, number]): Promise<LongPanel> {
    const page = await PanelPage.open();
    const [turn, offset] = position ?? [];
    page.state = { conversation: conversation.id, atEnd: turn === undefined, turn, offset };
    const opened = new LongPanel(page, conversation, turn);
    await opened.settled();
    return opened;
  }

  /** The scroll position in pixels. */
  get top(): number {
    return this.#top;
  }

  get renderedTurns(): string[] {
    return turnsOf(this.#log).map((turn) => turn.getAttribute('data-turn') ?? '');
  }

  /** The id of the turn in the middle of the view. */
  get visibleTurn(): string | undefined {
    const [turn] = this.renderedTurns.slice(Math.floor((this.#top + height / 2) / turnHeight));
    return turn;
  }

  get highlightNames(): string[] {
    return [...this.page.highlights.keys()];
  }

  highlightedTexts(name: string): string[] {
    return [...(this.page.highlights.get(name) ?? [])].map(String);
  }

  /** Shows a match of the search over all chats. */
  async showMatch(turn: string, query: string): Promise<void> {
    this.#channel.showMatch(turn, query);
    await this.page.until(() => this.page.all('[role=search]').length === 1);
    await this.settled();
  }

  async play(...events: ConversationEvent[]): Promise<void> {
    for (const event of events) {
      this.conversation = reduce(this.conversation, event);
      this.#channel.postEvent(event);
    }
    await this.page.drawn();
  }

  async scrollBy(pixels: number): Promise<void> {
    const scroller = this.page.element('.scroller');
    scroller.scrollTop += pixels;
    scroller.dispatchEvent(new this.page.window.Event('scroll'));
    await this.settled();
  }

  /** Waits until the page requests and renders nothing more. */
  async settled(): Promise<void> {
    let before;
    do {
      before = this.#state;
      await this.page.drawn();
    } while (before !== this.#state);
  }

  /** Cached while connected: each query reads the whole document, and scrolling needs many. */
  get #log(): Element {
    if (this.#cachedLog?.isConnected !== true) this.#cachedLog = this.page.element('[role=log]');
    return this.#cachedLog;
  }

  get #state(): string {
    return `${this.page.posted.length} ${this.renderedTurns.join()}`;
  }

  #handlers() {
    const finder = new ChatFinder(() => this.conversation, new ManualClock());
    return {
      snapshot: (turn?: string) => {
        const around = this.conversation.turns.find(({ id }) => id === turn)?.id;
        const window = windowAround(this.conversation, turn);
        const versions = versionsOf(this.conversation, window.conversation.turns);
        return { ...window, versions, around, state: readyState, draft: '', now: 0 };
      },
      turns: (...anchor: ['before' | 'after', string]) => {
        const more = adjacentTurns(this.conversation, ...anchor);
        return more && { ...more, versions: versionsOf(this.conversation, more.turns) };
      },
      call: async ({ name, parameters }: Call) => {
        if (name === 'find') return finder.find(parameters.query, parameters.from);
        if (name === 'select-version') this.#select(parameters.turn);
        return undefined;
      },
      refusal: () => '',
    };
  }

  #select(turn: string): void {
    this.conversation = reduce(this.conversation, { type: 'version-select', turn });
    this.#channel.postSnapshot(turn);
  }

  #layOut(): void {
    const { HTMLElement, Range } = this.page.window;
    const set = this.#scrollTo.bind(this);
    const end = (): number => endOf(this.renderedTurns.length);
    const top = (): number => this.#clampedTo(end());
    const boxOf = this.#boxOf.bind(this);
    Object.defineProperties(HTMLElement.prototype, {
      clientHeight: { configurable: true, get: () => height },
      scrollHeight: { configurable: true, get: () => end() + height },
      scrollTop: { configurable: true, get: top, set },
      getBoundingClientRect: {
        configurable: true,
        value: function (this: HTMLElement) {
          return boxOf(this);
        },
      },
    });
    Object.assign(Range.prototype, {
      getBoundingClientRect: function (this: Range) {
        return boxOf(this.startContainer.parentElement);
      },
    });
  }

  #clampedTo(end: number): number {
    return (this.#top = Math.min(this.#top, end));
  }

  #scrollTo(top: number): void {
    this.#top = Math.max(0, top);
  }

  #boxOf(element: Element | null): { top: number; bottom: number; height: number } {
    const turn = element?.closest('.turn');
    const log = turn?.parentElement ?? null;
    if (turn === null || turn === undefined || log === null)
      return { top: 0, bottom: height, height };
    const turns = turnsOf(log);
    const top = turns.indexOf(turn) * turnHeight - this.#clampedTo(endOf(turns.length));
    return { top, bottom: top + turnHeight, height: turnHeight };
  }
}

function endOf(turns: number): number {
  return Math.max(0, turns * turnHeight - height);
}

function turnsOf(log: Element): Element[] {
  const turns: Element[] = [];
  for (let child = log.firstElementChild; child !== null; child = child.nextElementSibling)
    if (child.hasAttribute('data-turn')) turns.push(child);
  return turns;
}
