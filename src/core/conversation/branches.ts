/**
 * Reads a journal in which the lines of several writers overlap, because a window took over a chat
 * that another was still writing. Each writer's lines are read as that writer saw them. The chat is
 * what the last writer wrote; turns of the others are inserted between its turns.
 */
import { emptyConversation, type Conversation, type Turn } from './conversation.ts';
import { LineReader, type PlacedLine } from './journalLines.ts';
import { LossyReplay } from './lossyReplay.ts';
import { addPath, changeTurn, idOfEnd, turnsOfAllPaths } from './paths.ts';
import type { JournalPosition } from './record.ts';
import { endInterrupted } from './reduce.ts';
import { addUsage, zeroUsage } from './usage.ts';

/** The last line number of each writer within a part of the journal. */
type Extent = ReadonlyMap<string, number>;

export class BranchedJournal {
  readonly #id: string;
  readonly #lostText: string;
  readonly #lines: readonly PlacedLine[];
  /** Writers in order of their first lines, with the index and the content of that line. */
  readonly #writers = new Map<string, { readonly index: number; readonly line: PlacedLine }>();
  readonly #read = new Map<string, Conversation>();

  /**
   * @param id of the conversation
   * @param lostText replaces the text of a message that could not be read
   */
  constructor(id: string, text: string, lostText = '') {
    this.#id = id;
    this.#lostText = lostText;
    this.#lines = readLines(text);
    for (const [index, line] of this.#lines.entries()) {
      if (!this.#writers.has(line.writer)) this.#writers.set(line.writer, { index, line });
    }
  }

  /** Line number of each writer's last line. */
  get end(): Extent {
    return new Map(this.#lines.map(({ writer, number }) => [writer, number]));
  }

  get conversation(): Conversation {
    return this.#readWithin(this.end);
  }

  /** The text of all lines that a writer had read or written at a position. */
  textUntil(lines: JournalPosition['lines']): string {
    const within = this.#within(this.#reach(Object.entries(lines)));
    return within.map(({ text }) => `${text}\n`).join('');
  }

  #readWithin(extent: Extent): Conversation {
    const key = JSON.stringify([...extent]);
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const merged = this.#mergeWithin(extent);
    this.#read.set(key, merged);
    return merged;
  }

  #mergeWithin(extent: Extent): Conversation {
    const writers = [...this.#writers.keys()].filter((writer) => extent.has(writer));
    const last = writers.pop();
    if (last === undefined) return emptyConversation(this.#id);
    let merged = this.#readBranch(last, extent);
    let covered = this.#reach([[last, extent.get(last) ?? 0]]);
    for (const writer of writers) {
      const reach = this.#reach([[writer, extent.get(writer) ?? 0]]);
      const common = commonOf(reach, covered);
      if (sizeOf(common) === sizeOf(reach)) continue;
      merged = merge(merged, this.#readBranch(writer, extent), this.#readWithin(common));
      covered = unionOf(covered, reach);
    }
    return merged;
  }

  /** The chat as a writer saw it: the lines that it had read, then those that it wrote. */
  #readBranch(writer: string, extent: Extent): Conversation {
    const read = new Map(this.#reach([[writer, 0]]));
    read.delete(writer);
    const replay = new LossyReplay(this.#id, this.#lostText, this.#readWithin(read));
    for (const line of this.#within(new Map([[writer, extent.get(writer) ?? 0]])))
      replay.apply(line);
    return replay.finish([]);
  }

  /** These lines, and those that their writers had read before. */
  #reach(lines: readonly (readonly [string, number])[]): Extent {
    const reached = new Map<string, number>();
    const waiting = [...lines];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [writer, number] = next;
      const first = this.#writers.get(writer);
      if (first === undefined || number < (reached.get(writer) ?? 0)) continue;
      const isNew = !reached.has(writer);
      reached.set(writer, number);
      if (!isNew) continue;
      const before = Object.entries(first.line.after?.lines ?? {});
      // Nobody can have read lines that were written later: such a line is damaged.
      waiting.push(
        ...before.filter(([name]) => (this.#writers.get(name)?.index ?? Infinity) < first.index),
      );
    }
    return new Map([...this.#writers.keys()].flatMap((writer) => entryOf(reached, writer)));
  }

  #within(extent: Extent): readonly PlacedLine[] {
    return this.#lines.filter(({ writer, number }) => number <= (extent.get(writer) ?? 0));
  }
}

function readLines(text: string): readonly PlacedLine[] {
  const lines: PlacedLine[] = [];
  new LineReader().read(text, (line) => {
    lines.push(line.writer === '' ? { ...line, writer: lines.at(-1)?.writer ?? '' } : line);
  });
  return lines;
}

function entryOf(extent: Extent, writer: string): readonly (readonly [string, number])[] {
  const number = extent.get(writer);
  return number === undefined ? [] : [[writer, number]];
}

function commonOf(extent: Extent, other: Extent): Extent {
  return new Map(
    [...extent]
      .filter(([writer]) => other.has(writer))
      .map(([writer, number]) => [writer, Math.min(number, other.get(writer) ?? 0)]),
  );
}

function unionOf(extent: Extent, other: Extent): Extent {
  const union = new Map(extent);
  for (const [writer, number] of other) union.set(writer, Math.max(number, union.get(writer) ?? 0));
  return union;
}

function sizeOf(extent: Extent): number {
  return [...extent.values()].reduce((sum, number) => sum + number, 0);
}

/** Adds the turns of a branch that are new or differ from those in `common`. */
function merge(merged: Conversation, branch: Conversation, common: Conversation): Conversation {
  const before = new Map(turnsOfAllPaths(common).map((turn) => [turn.id, JSON.stringify(turn)]));
  const ended = new Map(turnsOfAllPaths(endInterrupted(common)).map((turn) => [turn.id, turn]));
  const isNew = (turn: Turn): boolean => {
    const text = JSON.stringify(turn);
    return text !== JSON.stringify(ended.get(turn.id)) && before.get(turn.id) !== text;
  };
  const { turns, others = [] } = endInterrupted(branch);
  let result = merged;
  const add = (turn: Turn, previous: string, insert: typeof insertTurn): void => {
    if (isNew(turn)) result = addTurn(result, turn, ended.get(turn.id), previous, insert);
  };
  for (const [index, turn] of turns.entries()) add(turn, turns[index - 1]?.id ?? '', insertTurn);
  for (const { after, paths } of others) {
    for (const path of paths)
      for (const [index, turn] of path.entries())
        add(turn, path[index - 1]?.id ?? after, insertOther);
  }
  return result;
}

/**
 * Adds a turn of another writer after the turn that it followed there. Replaces the same turn if
 * the last writer knew only its beginning.
 */
function addTurn(
  merged: Conversation,
  turn: Turn,
  known: Turn | undefined,
  previous: string,
  insert: typeof insertTurn,
): Conversation {
  const same = turnsOfAllPaths(merged).find(({ id }) => id === turn.id);
  if (same !== undefined && same !== merged.running && hasSameParts(same, known))
    return countTurn(
      changeTurn(merged, turn.id, () => turn),
      turn,
      same,
    );
  const added = same === undefined ? turn : { ...turn, id: `${turn.id}-other` };
  return countTurn(insert(merged, added, previous), turn, known);
}

function insertTurn(merged: Conversation, turn: Turn, previous: string): Conversation {
  const { turns } = merged;
  const index = turns.findIndex(({ id }) => id === previous) + 1 || turns.length;
  return { ...merged, turns: turns.toSpliced(index, 0, turn) };
}

/**
 * Inserts a turn that its writer had already replaced by another version: into the path that it
 * continues, or as a version of the turn that follows the same one here. Otherwise it joins the
 * chosen path.
 */
function insertOther(merged: Conversation, turn: Turn, previous: string): Conversation {
  const { others = [] } = merged;
  const isEnd = (path: readonly Turn[]): boolean => path.at(-1)?.id === previous;
  const index = others.findIndex(({ paths }) => paths.some(isEnd));
  const group = others[index];
  if (group !== undefined) {
    const paths = group.paths.map((path) => (isEnd(path) ? [...path, turn] : path));
    return { ...merged, others: others.with(index, { ...group, paths }) };
  }
  const isKnown = previous === '' || turnsOfAllPaths(merged).some(({ id }) => id === previous);
  return !isKnown || previous === idOfEnd(merged)
    ? insertTurn(merged, turn, previous)
    : { ...merged, others: addPath(others, previous, [turn]) };
}

function hasSameParts(turn: Turn, other: Turn | undefined): boolean {
  return other !== undefined && JSON.stringify(turn.parts) === JSON.stringify(other.parts);
}

/** Counts the usage of an added turn, unless the known part of it was counted before. */
function countTurn(merged: Conversation, turn: Turn, known: Turn | undefined): Conversation {
  if (turn.usage === undefined || known?.usage !== undefined) return merged;
  const usage = addUsage(merged.usage[turn.model] ?? zeroUsage, turn.usage);
  return { ...merged, usage: { ...merged.usage, [turn.model]: usage } };
}
