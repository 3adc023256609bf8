/**
 * Reads a journal line by line. A damaged line loses only its own record, and the conversation has
 * a mark there, so that the person sees that something is missing.
 */
import {
  type Conversation,
  emptyConversation,
  lastTurn,
  type OtherPaths,
  type Turn,
} from './conversation.ts';
import {
  type EventLine,
  type JournalPosition,
  LineReader,
  markOf,
  type PlacedLine,
  readEvent,
} from './record.ts';
import { type ConversationWindow, reduceWindow, windowAround } from './window.ts';
import type { Timer } from '../support/clock.ts';
import { parseJson } from '../support/json.ts';
import { turnEvent } from './conversationSchema.ts';
import type { ConversationEvent } from './events.ts';
import { addOthers, withoutOthers } from './paths.ts';
import { reduce } from './reduce.ts';

export interface JournalContent {
  /** The conversation after all events. A turn without an end event is still running. */
  readonly conversation: Conversation;
  /** The highest event number. */
  readonly records: number;
  /** Number of lines that could not be parsed and were skipped. */
  readonly damaged: number;
  /** Number of damaged lines that the last writer knew, and had backed up. */
  readonly knownDamaged: number;
  readonly lines: JournalPosition['lines'];
}

/** Reads a journal, in any number of chunks of complete lines. */
export class JournalReader {
  readonly #lines = new LineReader();
  readonly #replay: LossyReplay;
  readonly #writers = new Set<string>();
  #writer = '';
  #records = 0;
  #knownDamaged = 0;
  #isMixed = false;

  /**
   * @param id of the conversation
   * @param lostText replaces the text of a message that could not be read
   */
  constructor(id: string, lostText = '') {
    this.#replay = new LossyReplay(id, lostText);
  }

  /**
   * True if a writer continued after another one had begun, as windows of version 1.0 could. Then
   * {@link readJournal} must read the whole journal.
   */
  get isMixed(): boolean {
    return this.#isMixed;
  }

  get content(): JournalContent {
    const { damaged } = this.#lines;
    return {
      conversation: this.#replay.finish(this.#lines.lost),
      records: this.#records,
      damaged,
      knownDamaged: this.#knownDamaged,
      lines: { [this.#writer]: this.#records },
    };
  }

  read(chunk: string): void {
    this.#lines.read(chunk, (line) => {
      this.#follow(line);
      this.#records = Math.max(this.#records, line.number);
      this.#replay.apply(line);
    });
  }

  #follow({ writer, number, after, lost }: PlacedLine): void {
    // An earlier version reads everything before it writes a line, which names no writer.
    if (writer === '' || writer === this.#writer) return;
    if (this.#writers.has(writer)) {
      this.#isMixed = true;
      return;
    }
    // Any other line of an unknown writer has a damaged name.
    const isFirst = after !== undefined || number === 1 || lost.length > 0;
    if (!isFirst) return;
    this.#writers.add(writer);
    this.#writer = writer;
    this.#knownDamaged = after?.damaged ?? 0;
  }
}

/**
 * Reads a whole journal at once. If the lines of two writers are mixed, they are read one writer
 * after the other, in the order of their first lines: each turn names the one that it follows.
 *
 * @param lostText replaces the text of a message that could not be read
 */
export function readJournal(id: string, text: string, lostText = ''): JournalContent {
  const reader = new JournalReader(id, lostText);
  reader.read(text);
  const { content } = reader;
  if (!reader.isMixed) return content;
  const byWriter = new Map<string, PlacedLine[]>();
  const lines = new LineReader();
  let last = '';
  lines.read(text, (line) => {
    last = line.writer === '' ? last : line.writer;
    const written = byWriter.get(last) ?? [];
    written.push(line);
    byWriter.set(last, written);
  });
  const replay = new LossyReplay(id, lostText);
  const ends: Record<string, number> = {};
  for (const [writer, written] of byWriter)
    for (const line of written) {
      replay.apply(line);
      ends[writer] = line.number;
    }
  return { ...content, conversation: replay.finish(lines.lost), lines: ends };
}

/**
 * Reads the newest turns of a journal from its last lines. Undefined if those contain no complete
 * turn, are damaged, or are out of order, as after a line that was written again. `before` is at
 * least 1 if there may be earlier turns. Chat-wide state, such as the options, may be missing.
 */
export function readNewestTurns(id: string, lines: string): ConversationWindow | undefined {
  const none: ConversationWindow = { conversation: emptyConversation(id), before: 1, after: 0 };
  let newest = none;
  let last: EventLine | undefined;
  for (const text of lines.split('\n')) {
    const line = readEvent(text);
    if (line === undefined) continue;
    if (last !== undefined) {
      // A new writer had read the line before its first.
      const isSameWriter = line.writer === undefined || line.writer === last.writer;
      const hasRead = isSameWriter || line.after?.lines[last.writer ?? ''] === last.number;
      if (line.number <= last.number || !hasRead) return undefined;
    }
    if (line.event !== undefined) newest = reduceWindow(newest, line.event) ?? none;
    last = line;
  }
  const { turns, running } = newest.conversation;
  return turns.length > 0 || running !== undefined ? newest : undefined;
}

/** Characters of a journal that are parsed without yielding, within a few milliseconds. */
export const pieceLength = 1_000_000;

/** Characters at the end of a journal that hold the turns shown first. */
const newestLength = 200_000;

/**
 * Reads a journal in slices, so that other work is not blocked.
 *
 * @param lostMessage replaces the text of a message that could not be read
 */
export async function readInPieces(
  id: string,
  text: string,
  timer: Timer,
  lostMessage?: string,
): Promise<JournalContent> {
  const reader = new JournalReader(id, lostMessage);
  for (let start = 0; start < text.length;) {
    const lineEnd = text.indexOf('\n', start + pieceLength);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    reader.read(text.slice(start, end));
    start = end;
    if (start < text.length) await new Promise<void>((resolve) => timer.after(0, resolve));
  }
  return reader.isMixed ? readJournal(id, text, lostMessage) : reader.content;
}

/**
 * The newest turns, as many as the view shows first, read from the end of a journal; undefined if
 * it must be read as a whole.
 */
export function newestTurns(id: string, text: string): ConversationWindow | undefined {
  const lineEnd = text.indexOf('\n', text.length - newestLength);
  const content = readNewestTurns(id, text.slice(lineEnd + 1));
  if (content === undefined) return undefined;
  const newest = windowAround(content.conversation);
  return { ...newest, before: newest.before + content.before };
}

/** Like {@link newestTurns}, but reads a journal as a whole if it is at most one piece. */
export function newestOrAll(
  id: string,
  text: string,
  lostMessage?: string,
): ConversationWindow | undefined {
  if (text.length > pieceLength) return newestTurns(id, text);
  return windowAround(readJournal(id, text, lostMessage).conversation);
}

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
    const goesOn = next !== undefined && turnTypes.includes(next.type);
    const isOrphan = goesOn && (running === undefined || (missing > 1 && !isOfTurn(next, running)));
    if (isOrphan && lost.some((line) => line.includes('"turn-continue"')))
      this.#replay.apply({ type: 'turn-continue', at });
    else if (start !== undefined) this.#startLostTurn(salvageStart(start), at);
    else if (isOrphan) this.#startLostTurn({ id: `lost-${this.#number}`, model: '', text: '' }, at);
    this.#replay.apply({ type: 'record-loss' });
  }

  #startLostTurn({ id, model, text }: ReturnType<typeof salvageStart>, at: number): void {
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

/** The types of the events that continue a running turn. */
const turnTypes: readonly string[] = turnEvent.def.options.flatMap(
  ({ shape }) => shape.type.def.values,
);

/** True if an event is about a call of the turn. */
function isOfTurn(event: ConversationEvent, { parts }: Turn): boolean {
  return 'id' in event && parts.some((part) => part.type === 'tool-call' && part.id === event.id);
}

/**
 * Recovers the fields of a damaged turn-start; model and text are empty if they are lost. The same
 * text always gives the same result.
 */
function salvageStart(line: string) {
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
