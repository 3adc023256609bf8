import { viewBatchLimit, type WindowSide } from '../../core/conversation/window.ts';

/** A turn as it is drawn. */
export interface TurnBox {
  /** Pixels from the top of what the reader sees. */
  readonly top: number;
  readonly bottom: number;
  /** Characters that it holds. */
  readonly length: number;
}

/** What is drawn, and whether there is more. */
export interface DrawnTurns {
  /** Those that ended, oldest first. */
  readonly turns: readonly TurnBox[];
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
  /** Pixels that the reader sees. */
  readonly height: number;
}

/** What is to be done, so that the reader never comes to an edge. */
export interface WindowPlan {
  /** How many turns to forget at the front and at the back. */
  readonly front: number;
  readonly back: number;
  readonly ask: readonly WindowSide[];
}

/** What the view holds at most, unless a few screens need more. */
export const maxHeld = { turns: 60, length: 1_000_000 };

/** Screens that are held ahead of the reader: with room for another portion, and without. */
const ahead = 3;
const aheadWhenFull = 1;

/** Screens around the reader that are never forgotten. */
const kept = 2;

/**
 * Decides what to ask for and what to forget. Doing so leads to a state in which nothing more is to
 * be done: what is forgotten leaves no room for a portion, and so is not asked for again.
 */
export function planWindow(drawn: DrawnTurns): WindowPlan {
  if (drawn.height === 0) return { front: 0, back: 0, ask: [] };
  const forgotten = planForgetting(drawn);
  const ask = forgotten.front + forgotten.back > 0 ? [] : planAsking(drawn);
  return { ...forgotten, ask };
}

function planForgetting({ turns, height }: DrawnTurns): { front: number; back: number } {
  let front = 0;
  let back = 0;
  let length = lengthOf(turns);
  for (;;) {
    const count = turns.length - front - back;
    const first = turns[front];
    const last = turns[turns.length - 1 - back];
    if (first === undefined || last === undefined) break;
    if (count <= maxHeld.turns && length <= maxHeld.length) break;
    const above = -first.bottom;
    const below = last.top - height;
    const farthest = above > below ? first : last;
    if (Math.max(above, below) <= kept * height) break;
    if (hasRoom(count - 1, length - farthest.length)) break;
    length -= farthest.length;
    if (farthest === first) front++;
    else back++;
  }
  return { front, back };
}

function planAsking({ turns, hasStart, hasEnd, height }: DrawnTurns): WindowSide[] {
  const screens = hasRoom(turns.length, lengthOf(turns)) ? ahead : aheadWhenFull;
  const above = -(turns[0]?.top ?? 0);
  const below = (turns.at(-1)?.bottom ?? 0) - height;
  return [
    ...(!hasEnd && below < screens * height ? ['after' as const] : []),
    ...(!hasStart && above < screens * height ? ['before' as const] : []),
  ];
}

/** Whether another portion fits in. */
function hasRoom(count: number, length: number): boolean {
  return (
    count + viewBatchLimit.turns <= maxHeld.turns &&
    length + viewBatchLimit.length <= maxHeld.length
  );
}

function lengthOf(turns: readonly TurnBox[]): number {
  return turns.reduce((sum, turn) => sum + turn.length, 0);
}
