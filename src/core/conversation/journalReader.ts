/**
 * Reads a journal line by line. A damaged line loses only its own record, and the conversation has
 * a mark there, so that the person sees that something is missing.
 */
import { emptyConversation, type Conversation } from './conversation.ts';
import { LineReader, type PlacedLine } from './journalLines.ts';
import { readEvent, type EventLine, type JournalPosition } from './record.ts';
import { LossyReplay } from './lossyReplay.ts';
import { reduceWindow, type ConversationWindow } from './window.ts';

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
    if (last !== undefined && !continuesLine(line, last)) return undefined;
    if (line.event !== undefined) newest = reduceWindow(newest, line.event) ?? none;
    last = line;
  }
  const { turns, running } = newest.conversation;
  return turns.length > 0 || running !== undefined ? newest : undefined;
}

/** True if two lines are in order, and a new writer had read the line before its first. */
function continuesLine({ number, writer, after }: EventLine, last: EventLine): boolean {
  if (number <= last.number) return false;
  return (
    writer === last.writer ||
    writer === undefined ||
    after?.lines[last.writer ?? ''] === last.number
  );
}
