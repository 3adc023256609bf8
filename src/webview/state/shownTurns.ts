import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { emptyConversation, partText, type Turn } from '../../core/conversation/conversation.ts';
import { changesAnyTurn, type ConversationEvent } from '../../core/conversation/events.ts';
import { reduce } from '../../core/conversation/reduce.ts';
import type { TurnVersions, VersionsByTurn } from '../../core/conversation/versions.ts';
import {
  type BatchLimit,
  type ConversationWindow,
  countFitting,
  reduceWindow,
  type WindowSide,
} from '../../core/conversation/window.ts';
import { type Disposable, Emitter } from '../../core/support/event.ts';
import type { MoreTurns, ViewMessage } from '../../protocol/messages.ts';

/** Maximum number of turns and characters rendered per frame. */
const frameLimit: BatchLimit = { turns: 4, length: 16_000 };

/** Text that was appended to a part of a running turn. */
interface GrownText {
  readonly turn: string;
  readonly text: string;
}

/**
 * The turns in the view. The host has all turns: distant ones are requested when the person scrolls
 * near them, and dropped when far away.
 */
export class ShownTurns implements Disposable {
  readonly #post: (message: Extract<ViewMessage, { type: 'show' | 'turns' }>) => void;
  readonly #grown = new Emitter<GrownText>();
  readonly #turned = new Emitter<'begin' | 'end'>();
  readonly #rendered = signal<ConversationWindow>({
    conversation: emptyConversation(''),
    before: 0,
    after: 0,
  });
  /** The rendered window, including text added to the running turn since. */
  #current = this.#rendered.peek();
  /** Turns next to the window that were received but not rendered; a few are added per frame. */
  #queued: Record<WindowSide, readonly Turn[]> = { before: [], after: [] };
  /** The turn at each edge beyond which more turns were requested. */
  #requested: Partial<Record<WindowSide, string | undefined>> = {};
  #frame: number | undefined;
  /** True if an event could not be applied; a new window has been requested. */
  #stale = false;
  /** Number of times that the window was replaced, and the turn of the last time. */
  #replaced = { count: 0, around: '' };

  readonly conversation = computed(() => this.#rendered.value.conversation);
  /** Doesn't change while a turn runs, so that its readers don't re-render on a delta. */
  readonly turns = computed(() => this.conversation.value.turns);
  /** Changes with the structure of the running turn, not with every text delta. */
  readonly running = computed(() => this.conversation.value.running);
  /** Number of turns of the conversation before the window. */
  readonly before = computed(() => this.#rendered.value.before);
  /** True if the window includes the start of the conversation, or its end. */
  readonly hasStart: ReadonlySignal<boolean> = computed(() => this.before.value === 0);
  readonly hasEnd: ReadonlySignal<boolean> = computed(() => this.#rendered.value.after === 0);
  /** Fires with the text of a delta that changed nothing else of the running turn. */
  readonly onDidGrow = this.#grown.event;
  /** Fires when a turn starts or continues, and when it ends. */
  readonly onDidTurn = this.#turned.event;

  constructor(post: (message: Extract<ViewMessage, { type: 'show' | 'turns' }>) => void) {
    this.#post = post;
  }

  get replaced(): { readonly count: number; readonly around: string } {
    return this.#replaced;
  }

  /** The complete text of a part of a running turn. */
  textOf(turn: string, part: number): string {
    const { running } = this.#current.conversation;
    const textPart = running?.id === turn ? running.parts[part] : undefined;
    return textPart === undefined ? '' : partText(textPart);
  }

  apply(events: readonly ConversationEvent[]): void {
    for (const event of events) if (!this.#stale) this.#apply(event);
  }

  show({ conversation, before, after }: ConversationWindow, around = ''): void {
    const { turns } = conversation;
    const index = turns.findIndex(({ id }) => id === around);
    const middle = index < 0 ? turns.length : index;
    const first = middle - countFitting(turns.slice(0, middle).reverse(), frameLimit);
    const last = middle + countFitting(turns.slice(middle), frameLimit);
    this.#replaced = { count: this.#replaced.count + 1, around: index < 0 ? '' : around };
    this.#stale = false;
    this.#requested = {};
    this.#queued = { before: turns.slice(0, first), after: turns.slice(last) };
    this.#render({
      conversation: { ...conversation, turns: turns.slice(first, last) },
      before: before + first,
      after: after + turns.length - last,
    });
    this.#scheduleAdmit();
  }

  /** Requests a window around a turn, or around the newest turns. */
  ask(turn?: string): void {
    this.#post({ type: 'show', turn });
  }

  askMore(side: WindowSide): void {
    const edge = this.#edge(side);
    if (edge === undefined || this.#current[side] === 0 || this.#requested[side] === edge) return;
    if (this.#queued[side].length > 0) return;
    this.#requested[side] = edge;
    this.#post({ type: 'turns', side, of: edge });
  }

  receive({ side, of, turns, remaining }: MoreTurns): void {
    this.#requested[side] = undefined;
    if (this.#stale || of !== this.#edge(side)) return;
    this.#current = { ...this.#current, [side]: remaining + turns.length };
    this.#queued[side] = turns;
    this.#scheduleAdmit();
  }

  drop(front: number, back: number): void {
    const { conversation, before, after } = this.#current;
    const { turns } = conversation;
    if (front > 0) this.#queued.before = [];
    if (back > 0) this.#queued.after = [];
    this.#render({
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

  #apply(event: ConversationEvent): void {
    const next = reduceWindow(this.#current, event);
    if (next === undefined) {
      this.#stale = true;
      this.ask();
      return;
    }
    const { running } = this.#current.conversation;
    const isDelta = event.type === 'text-delta' || event.type === 'reasoning-delta';
    if (isDelta && running !== undefined && isAppendOnly(running, next.conversation.running)) {
      this.#current = next;
      this.#grown.fire({ turn: running.id, text: event.text });
      return;
    }
    // Reverting to an earlier turn also removes turns that aren't rendered yet.
    if (next.after === 0) this.#queued.after = [];
    if (changesAnyTurn(event)) {
      // The turn may not be rendered yet.
      const changed = (turns: readonly Turn[]): readonly Turn[] =>
        reduce({ ...emptyConversation(''), turns }, event).turns;
      const { before, after } = this.#queued;
      this.#queued = { before: changed(before), after: changed(after) };
    }
    this.#render(next);
    if (event.type === 'turn-end') this.#turned.fire('end');
    if (event.type === 'turn-start' || event.type === 'turn-continue') this.#turned.fire('begin');
  }

  #render(window: ConversationWindow): void {
    this.#current = window;
    this.#rendered.value = window;
  }

  #edge(side: WindowSide): string | undefined {
    const { turns, running } = this.#current.conversation;
    return turns.at(side === 'before' ? 0 : -1)?.id ?? running?.id;
  }

  /** Renders the next turns in each frame; those after the window first, since they fill the view. */
  #scheduleAdmit(): void {
    if (this.#queued.before.length + this.#queued.after.length === 0) return;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      const { conversation, before, after } = this.#current;
      const { turns } = conversation;
      const queued = this.#queued;
      if (queued.after.length > 0) {
        const count = countFitting(queued.after, frameLimit);
        const next = { ...conversation, turns: [...turns, ...queued.after.slice(0, count)] };
        queued.after = queued.after.slice(count);
        this.#render({ conversation: next, before, after: after - count });
      } else {
        const count = countFitting(queued.before.toReversed(), frameLimit);
        const next = { ...conversation, turns: [...queued.before.slice(-count), ...turns] };
        queued.before = queued.before.slice(0, -count);
        this.#render({ conversation: next, before: before - count, after });
      }
      this.#scheduleAdmit();
    });
  }
}

/** True if two states of a turn differ only in appended text. */
function isAppendOnly(before: Turn, after: Turn | undefined): boolean {
  return (
    before.id === after?.id &&
    before.status === after.status &&
    before.parts.length === after.parts.length &&
    before.parts.every((part, index) => {
      const other = after.parts[index];
      if (part === other || part.type !== 'reasoning') return part.type === other?.type;
      return other?.type === 'reasoning' && part.endedAt === other.endedAt;
    })
  );
}

interface VersionButton {
  readonly turn: string;
  /** Part of the turn that another version replaces. */
  readonly of: keyof TurnVersions;
  readonly side: 'previous' | 'next';
  /** Distance of the button from the top of the page, in pixels. */
  readonly top: number;
}

/** The versions of the turns in the window, and navigation between them. */
export class VersionModel {
  readonly #byTurn = signal<VersionsByTurn>({});
  #pressed: VersionButton | undefined;
  #held: { readonly element: HTMLElement; readonly top: number } | undefined;

  readonly byTurn: ReadonlySignal<VersionsByTurn> = this.#byTurn;

  show(versions: VersionsByTurn = {}): void {
    this.#byTurn.value = versions;
  }

  add(versions: VersionsByTurn = {}): void {
    if (Object.keys(versions).length > 0)
      this.#byTurn.value = { ...this.#byTurn.peek(), ...versions };
  }

  /** Remembers the button that was pressed; undefined forgets it. */
  press(button: VersionButton | undefined): void {
    this.#pressed = button;
  }

  /** The button that was pressed to get to this turn, returned once. */
  takePressed(turn: string, of: keyof TurnVersions): VersionButton | undefined {
    const pressed = this.#pressed;
    if (pressed?.turn !== turn || pressed.of !== of) return undefined;
    this.#pressed = undefined;
    return pressed;
  }

  /** Keeps the button of the new turn at the position of the pressed one. */
  hold(element: HTMLElement, top: number): void {
    this.#held = { element, top };
  }

  /** The element to keep in place and its distance from the top of the page, returned once. */
  takeHeld(): { readonly element: HTMLElement; readonly top: number } | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }
}
