import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { emptyConversation, type Turn, type Part } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { reduce } from '../../core/conversation/reduce.ts';
import {
  countFitting,
  reduceWindow,
  type ConversationWindow,
  type BatchLimit,
  type WindowSide,
} from '../../core/conversation/window.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import type { MoreTurns, ViewMessage } from '../../protocol/messages.ts';

/** Turns that are drawn in one frame at most. */
const slice: BatchLimit = { turns: 4, length: 16_000 };

/**
 * The part of the conversation that the view holds. The host has all of it: what lies further off
 * is asked for when the reader comes near, and dropped when the reader is gone.
 */
export class TurnWindow implements Disposable {
  readonly #post: (message: Extract<ViewMessage, { type: 'show' | 'turns' }>) => void;
  readonly #grown = new Emitter<string>();
  readonly #turned = new Emitter<'begin' | 'end'>();
  readonly #drawn = signal<ConversationWindow>({
    conversation: emptyConversation(''),
    before: 0,
    after: 0,
  });
  /** What is drawn, and ahead of it by the text that the running turn grew since. */
  #now = this.#drawn.peek();
  /** Turns that are here and next to the window, and come into it a few with each frame. */
  #waiting: Record<WindowSide, readonly Turn[]> = { before: [], after: [] };
  /** The turn at each edge beyond which the host was asked for more. */
  #asked: Partial<Record<WindowSide, string | undefined>> = {};
  #frame: number | undefined;
  /** Something happened that the window cannot show; a new one is on its way. */
  #stale = false;
  /** How often the window was made anew, and around which turn the last time. */
  #shown = { count: 0, around: '' };

  readonly conversation = computed(() => this.#drawn.value.conversation);
  /** Keeps its identity while a turn runs, so nothing that reads it redraws with a delta. */
  readonly turns = computed(() => this.conversation.value.turns);
  /** Changes with the form of the running turn, and not while its text only grows. */
  readonly running = computed(() => this.conversation.value.running);
  /** Whether nothing comes before the window, or after it. */
  readonly hasStart: ReadonlySignal<boolean> = computed(() => this.#drawn.value.before === 0);
  readonly hasEnd: ReadonlySignal<boolean> = computed(() => this.#drawn.value.after === 0);
  /** Fires with text that was added to the running turn and changed nothing else of it. */
  readonly onDidGrow = this.#grown.event;
  /** Fires when a turn begins or goes on, and when it ends. */
  readonly onDidTurn = this.#turned.event;

  constructor(post: (message: Extract<ViewMessage, { type: 'show' | 'turns' }>) => void) {
    this.#post = post;
  }

  get shown(): { readonly count: number; readonly around: string } {
    return this.#shown;
  }

  /** The text of a part of the running turn, to the last character. */
  textOf(part: number): string {
    const found = this.#now.conversation.running?.parts[part];
    return found === undefined || found.type === 'tool-call' ? '' : found.text;
  }

  apply(events: readonly ConversationEvent[]): void {
    for (const event of events) if (!this.#stale) this.#follow(event);
  }

  /** Shows another window; of its turns those first that the reader is to see. */
  show({ conversation, before, after }: ConversationWindow, around = ''): void {
    const { turns } = conversation;
    const index = turns.findIndex(({ id }) => id === around);
    const middle = index < 0 ? turns.length : index;
    const first = middle - countFitting(turns.slice(0, middle).reverse(), slice);
    const last = middle + countFitting(turns.slice(middle), slice);
    this.#shown = { count: this.#shown.count + 1, around: index < 0 ? '' : around };
    this.#stale = false;
    this.#asked = {};
    this.#waiting = { before: turns.slice(0, first), after: turns.slice(last) };
    this.#draw({
      conversation: { ...conversation, turns: turns.slice(first, last) },
      before: before + first,
      after: after + turns.length - last,
    });
    this.#admitSoon();
  }

  /** Asks for a window around a turn, or for the newest turns. */
  ask(turn?: string): void {
    this.#post({ type: 'show', turn });
  }

  /** Asks for what comes before the window, or after it. */
  askMore(side: WindowSide): void {
    const edge = this.#edge(side);
    if (edge === undefined || this.#now[side] === 0 || this.#asked[side] === edge) return;
    if (this.#waiting[side].length > 0) return;
    this.#asked[side] = edge;
    this.#post({ type: 'turns', side, of: edge });
  }

  receive({ side, of, turns, left }: MoreTurns): void {
    this.#asked[side] = undefined;
    if (this.#stale || of !== this.#edge(side)) return;
    this.#now = { ...this.#now, [side]: left + turns.length };
    this.#waiting[side] = turns;
    this.#admitSoon();
  }

  /** Forgets so many turns at the front and at the back. */
  drop(front: number, back: number): void {
    const { conversation, before, after } = this.#now;
    const { turns } = conversation;
    if (front > 0) this.#waiting.before = [];
    if (back > 0) this.#waiting.after = [];
    this.#draw({
      conversation: { ...conversation, turns: turns.slice(front, turns.length - back) },
      before: before + front,
      after: after + back,
    });
  }

  dispose(): void {
    this.#grown.dispose();
    this.#turned.dispose();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }

  #follow(event: ConversationEvent): void {
    const next = reduceWindow(this.#now, event);
    if (next === undefined) {
      this.#stale = true;
      this.ask();
      return;
    }
    const { running } = this.#now.conversation;
    const isDelta = event.type === 'text-delta' || event.type === 'reasoning-delta';
    if (isDelta && isAppendOnly(running, next.conversation.running)) {
      this.#now = next;
      this.#grown.fire(event.text);
      return;
    }
    // What was taken back also took those that wait to come into the window.
    if (next.after === 0) this.#waiting.after = [];
    if (event.type === 'files-change') this.#changeWaiting(event);
    this.#draw(next);
    if (event.type === 'turn-end') this.#turned.fire('end');
    if (event.type === 'turn-start' || event.type === 'turn-continue') this.#turned.fire('begin');
  }

  /** For what concerns one turn, by its name, wherever that is. */
  #changeWaiting(event: ConversationEvent): void {
    const changed = (turns: readonly Turn[]): readonly Turn[] =>
      reduce({ ...emptyConversation(''), turns }, event).turns;
    const { before, after } = this.#waiting;
    this.#waiting = { before: changed(before), after: changed(after) };
  }

  #draw(window: ConversationWindow): void {
    this.#now = window;
    this.#drawn.value = window;
  }

  #edge(side: WindowSide): string | undefined {
    const { turns, running } = this.#now.conversation;
    return turns.at(side === 'before' ? 0 : -1)?.id ?? running?.id;
  }

  #admitSoon(): void {
    if (this.#waiting.before.length + this.#waiting.after.length === 0) return;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#admit();
      this.#admitSoon();
    });
  }

  /** Takes the next turns into the window: first those that fill the rest of the screen. */
  #admit(): void {
    const { conversation, before, after } = this.#now;
    const { turns } = conversation;
    const waiting = this.#waiting;
    if (waiting.after.length > 0) {
      const count = countFitting(waiting.after, slice);
      const next = { ...conversation, turns: [...turns, ...waiting.after.slice(0, count)] };
      this.#waiting.after = waiting.after.slice(count);
      this.#draw({ conversation: next, before, after: after - count });
    } else if (waiting.before.length > 0) {
      const rest = waiting.before.length - countFitting(waiting.before.toReversed(), slice);
      const next = { ...conversation, turns: [...waiting.before.slice(rest), ...turns] };
      this.#draw({
        conversation: next,
        before: before - waiting.before.length + rest,
        after,
      });
      this.#waiting.before = waiting.before.slice(0, rest);
    }
  }
}

/** Whether all that changed between two states of a turn is that text of it got longer. */
function isAppendOnly(before: Turn | undefined, after: Turn | undefined): boolean {
  return (
    before !== undefined &&
    before.id === after?.id &&
    before.status === after.status &&
    before.parts.length === after.parts.length &&
    before.parts.every((part, index) => hasSameForm(part, after.parts[index]))
  );
}

function hasSameForm(before: Part, after: Part | undefined): boolean {
  if (before === after || before.type !== 'reasoning') return before.type === after?.type;
  return after?.type === 'reasoning' && before.endedAt === after.endedAt;
}
