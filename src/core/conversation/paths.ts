/**
 * The paths of a conversation, which is a tree: a message that is sent again follows the same turn
 * as before. `turns` is the chosen path; the other paths are in `others`.
 */
import type { Conversation, OtherPaths, Turn } from './conversation.ts';

/** Id of the last turn of the chosen path; empty if there is none. */
export function idOfEnd({ turns }: Conversation): string {
  return turns.at(-1)?.id ?? '';
}

/** The turns of the chosen path, including the running turn. */
export function pathOf({ turns, running }: Conversation): readonly Turn[] {
  return running === undefined ? turns : [...turns, running];
}

/** The newest turn of the chosen path with this id. */
export function turnOfPath(conversation: Conversation, id: string): Turn | undefined {
  return pathOf(conversation).findLast((turn) => turn.id === id);
}

export function turnsOfAllPaths({ turns, others = [], running }: Conversation): readonly Turn[] {
  const otherTurns = others.flatMap(({ paths }) => paths.flat());
  return [...turns, ...otherTurns, ...(running === undefined ? [] : [running])];
}

export function withoutOthers(conversation: Conversation): Conversation {
  const { others, ...path } = conversation;
  return others === undefined ? conversation : path;
}

/** Ends the chosen path before the turn at an index. The remaining turns become another path. */
export function leavePath(conversation: Conversation, index: number): Conversation {
  const { turns, others = [] } = conversation;
  if (index >= turns.length) return conversation;
  const after = turns[index - 1]?.id ?? '';
  return {
    ...conversation,
    turns: turns.slice(0, index),
    others: addPath(others, after, turns.slice(index)),
  };
}

/** Adds a path after the turn with this id; an empty id stands for the start. */
function addPath(
  others: readonly OtherPaths[],
  after: string,
  path: readonly Turn[],
): readonly OtherPaths[] {
  return addOthers(others, { after, order: path.slice(0, 1).map(({ id }) => id), paths: [path] });
}

/** Adds paths to the others that follow the same turn. */
export function addOthers(others: readonly OtherPaths[], added: OtherPaths): readonly OtherPaths[] {
  const index = others.findIndex(({ after }) => after === added.after);
  const known = others[index];
  return known === undefined ? [...others, added] : others.with(index, join(known, added));
}

function join(earlier: OtherPaths, later: OtherPaths): OtherPaths {
  const added = later.order.filter((id) => !earlier.order.includes(id));
  return {
    after: earlier.after,
    order: added.length === 0 ? earlier.order : [...earlier.order, ...added],
    paths: [...earlier.paths, ...later.paths],
  };
}

/** Chooses the path that leads through a turn, with the turns that were visible after it last. */
export function choosePath(conversation: Conversation, id: string): Conversation {
  return forksTo(conversation, id).reduce(enterPath, conversation);
}

/**
 * Ends the chosen path after the turn with this id, or before the first turn if the id is empty.
 * Changes nothing if there is no such turn.
 */
export function endPathAfter(conversation: Conversation, id: string): Conversation {
  if (id === idOfEnd(conversation)) return conversation;
  if (id === '') return leavePath(conversation, 0);
  const chosen = choosePath(conversation, id);
  const index = chosen.turns.findLastIndex((turn) => turn.id === id);
  return index < 0 ? conversation : leavePath(chosen, index + 1);
}

/** A step from one path to another: the last turn they share, and the next one. */
interface PathFork {
  readonly after: string;
  readonly turn: string;
}

/** The forks that lead to a turn, in order; empty if it is on the chosen path or nowhere. */
function forksTo({ turns, others = [] }: Conversation, id: string): readonly PathFork[] {
  const chosen = new Set(turns.map((turn) => turn.id));
  const forks: PathFork[] = [];
  let turn = id;
  while (turn !== '' && !chosen.has(turn)) {
    const branch = others.find((group) => hasTurn(group, turn));
    // A damaged journal may contain a turn twice, and then lead in a circle.
    if (branch === undefined || forks.some(({ after }) => after === branch.after)) return [];
    forks.unshift({ after: branch.after, turn });
    turn = branch.after;
  }
  return forks;
}

function hasTurn({ paths }: OtherPaths, id: string): boolean {
  return paths.some((path) => path.some((turn) => turn.id === id));
}

function enterPath(conversation: Conversation, { after, turn }: PathFork): Conversation {
  const index = conversation.turns.findLastIndex(({ id }) => id === after) + 1;
  if (index === 0 && after !== '') return conversation;
  const shortened = leavePath(conversation, index);
  const { turns, others = [] } = shortened;
  const groupIndex = others.findIndex((group) => group.after === after);
  const group = others[groupIndex];
  const path = group?.paths.findLast((candidate) => candidate.some(({ id }) => id === turn));
  if (group === undefined || path === undefined) return conversation;
  const paths = group.paths.filter((other) => other !== path);
  return {
    ...shortened,
    turns: [...turns, ...path],
    others: others.with(groupIndex, { ...group, paths }),
  };
}

/** Changes the turn with this id. A damaged journal may contain it twice: then the newest one. */
export function changeTurn(
  conversation: Conversation,
  id: string,
  change: (turn: Turn) => Turn,
): Conversation {
  const { running, turns, others = [] } = conversation;
  if (running?.id === id) return { ...conversation, running: change(running) };
  const index = turns.findLastIndex((turn) => turn.id === id);
  const turn = turns[index];
  if (turn !== undefined) return { ...conversation, turns: turns.with(index, change(turn)) };
  const groupIndex = others.findLastIndex((group) => hasTurn(group, id));
  const group = others[groupIndex];
  if (group === undefined) return conversation;
  const paths = group.paths.map((path) =>
    path.map((candidate) => (candidate.id === id ? change(candidate) : candidate)),
  );
  return { ...conversation, others: others.with(groupIndex, { ...group, paths }) };
}
