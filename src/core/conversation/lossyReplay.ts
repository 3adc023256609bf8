import { parseJson } from '../support/json.ts';
import {
  type Conversation,
  type Turn,
  emptyConversation,
  lastTurn,
  type OtherPaths,
} from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { markOf, type PlacedLine } from './journalLines.ts';
import { addOthers, withoutOthers } from './paths.ts';
import { reduce } from './reduce.ts';

/**
 * Applies the lines of a journal. Events after missing lines get a turn of their own, instead of
 * appearing in the wrong one, and the turn is marked.
 */
export class LossyReplay {
  readonly #replay: Replay;
  readonly #lostText: string;
  #number = 0;

  /**
   * @param id of the conversation
   * @param lostText replaces the text of a message that could not be read
   * @param start the conversation that the lines continue; undefined for a whole journal
   */
  constructor(id: string, lostText: string, start?: Conversation) {
    this.#replay = new Replay(id, start);
    this.#lostText = lostText;
  }

  apply({ event, number, lost, isGap }: PlacedLine): void {
    // One fragment can be the rest of several lines. A gap alone may be a damaged number.
    const missing = isGap === true ? 1 : Math.max(lost.length, number - this.#number - 1);
    this.#number = Math.max(this.#number, number);
    if (lost.length > 0) this.#replaceLost(lost, event, missing);
    if (event === undefined) return;
    this.#startLostCall(event);
    this.#replay.apply(event);
  }

  /**
   * Ends the replay.
   *
   * @param lost the damaged lines after the last readable one
   */
  finish(lost: readonly string[]): Conversation {
    if (lost.length > 0) this.#replaceLost(lost, undefined, lost.length);
    return this.#replay.conversation;
  }

  #replaceLost(
    lost: readonly string[],
    next: ConversationEvent | undefined,
    missing: number,
  ): void {
    const { running } = this.#replay;
    const at = (next !== undefined && 'at' in next ? next.at : undefined) ?? 0;
    const start = lost.findLast(
      (line) => line.includes('"turn-start"') || line.includes('"question":{'),
    );
    const goesOn = next !== undefined && !ofNoTurn.includes(next.type);
    const isOrphan = goesOn && (running === undefined || (missing > 1 && !isOfTurn(next, running)));
    if (isOrphan && lost.some((line) => line.includes('"turn-continue"')))
      this.#replay.apply({ type: 'turn-continue', at });
    else if (start !== undefined) this.#startLostTurn(salvageStart(start), at);
    else if (isOrphan) this.#startLostTurn({ id: `lost-${this.#number}`, model: '', text: '' }, at);
    this.#replay.apply({ type: 'record-loss' });
  }

  #startLostTurn({ id, model, text }: LostStart, at: number): void {
    const question = { text: text || this.#lostText, attachments: [] };
    this.#replay.apply({ type: 'turn-start', id, model, question, json: false, at });
  }

  /** Adds a call whose start is missing, so that its results are visible. */
  #startLostCall(event: ConversationEvent): void {
    const { running } = this.#replay;
    if (running?.lostRecords === undefined || !('id' in event)) return;
    if (!event.type.startsWith('tool-call-') || isOfTurn(event, running)) return;
    const call = { id: event.id, name: 'unknown', arguments: '{}', round: 1 };
    this.#replay.apply({ type: 'tool-call-start', call });
  }
}

/** Events that do not continue a running turn. */
const ofNoTurn: readonly ConversationEvent['type'][] = [
  'turn-start',
  'turn-remove',
  'version-select',
  'compared-turn-start',
  'compared-turn-event',
  'turn-continue',
  'turn-import',
  'chat-import',
  'options-change',
  'part-choice',
  'preset-change',
  'title-change',
  'pin-change',
  'chat-shorten',
  'summary-use',
  'chat-usage',
  'files-change',
  'files-restore',
  'processes-change',
];

/** True if an event is about a call of the turn. */
function isOfTurn(event: ConversationEvent, { parts }: Turn): boolean {
  return 'id' in event && parts.some((part) => part.type === 'tool-call' && part.id === event.id);
}

interface LostStart {
  readonly id: string;
  /** Empty if it is lost. */
  readonly model: string;
  /** Empty if it is lost. */
  readonly text: string;
}

/** Recovers the fields of a damaged turn-start. The same text always gives the same result. */
function salvageStart(line: string): LostStart {
  const text = parseJson(/"question":\{"text":("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? '""');
  return {
    id: /"id":"([\w-]{1,64})","question"/.exec(line)?.[1] ?? `lost-${markOf(line)}`,
    model: /"model":"([^"\\]{1,200})"/.exec(line)?.[1] ?? '',
    text: typeof text === 'string' ? text : '',
  };
}

/** Maximum number of turns that an event is applied to; older ones are set aside. */
const maxRecentTurns = 64;

/**
 * Applies a sequence of events, as when a chat is loaded. The cost of an event doesn't depend on
 * the number of earlier turns.
 */
export class Replay {
  readonly #older: { turns: Turn[]; others: OtherPaths[] } = { turns: [], others: [] };
  #recent: Conversation;

  constructor(id: string, start = emptyConversation(id)) {
    this.#recent = start;
  }

  get running(): Turn | undefined {
    return this.#recent.running;
  }

  get conversation(): Conversation {
    const { turns, others } = this.#older;
    const all = (this.#recent.others ?? []).reduce(addOthers, others);
    return {
      ...this.#recent,
      turns: [...turns, ...this.#recent.turns],
      ...(all.length === 0 ? {} : { others: all }),
    };
  }

  apply(event: ConversationEvent): void {
    if (this.#older.turns.length > 0 && !this.#suffices(event)) {
      this.#recent = this.conversation;
      this.#older.turns = [];
      this.#older.others = [];
    }
    this.#recent = reduce(this.#recent, event);
    if (this.#recent.turns.length > maxRecentTurns) this.#setAside();
  }

  /** True if the event needs no turns besides the recent ones. */
  #suffices(event: ConversationEvent): boolean {
    const { turns, running } = this.#recent;
    const last = lastTurn(this.#recent);
    switch (event.type) {
      case 'files-change':
      case 'files-restore':
      case 'processes-change':
        return running?.id === event.turn || turns.some(({ id }) => id === event.turn);
      case 'turn-remove':
        return running?.id === event.id
          ? turns.length > 0
          : turns.findLastIndex(({ id }) => id === event.id) > 0;
      case 'version-select':
      case 'compared-turn-start':
      case 'compared-turn-event':
        return false;
      case 'turn-start':
        return (event.after ?? last?.id) === last?.id;
      default:
        return last !== undefined;
    }
  }

  #setAside(): void {
    const { turns, others = [] } = this.#recent;
    const last = turns.slice(-1);
    // The other paths after the last turn are needed as long as that turn is.
    const needed = others.findIndex(({ after }) => after === last[0]?.id);
    const count = needed < 0 ? others.length : needed;
    this.#older.turns.push(...turns.slice(0, -1));
    this.#older.others.push(...others.slice(0, count));
    const remaining = others.slice(count);
    const recent = { ...withoutOthers(this.#recent), turns: last };
    this.#recent = remaining.length === 0 ? recent : { ...recent, others: remaining };
  }
}
