import { viewBatchLimit, type WindowSide } from '../../core/conversation/window.ts';

export interface TurnBox {
  /** Pixels from the top of the view. */
  readonly top: number;
  readonly bottom: number;
  readonly length: number;
}

/** The rendered turns, and the directions with more turns. */
export interface DrawnTurns {
  /** The turns that have ended, oldest first. */
  readonly turns: readonly TurnBox[];
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
  /** Height of the view in pixels. */
  readonly height: number;
}

/** Turns to request and to drop, so that scrolling never reaches an edge. */
export interface WindowPlan {
  /** Number of turns to drop at the front and at the back. */
  readonly front: number;
  readonly back: number;
  readonly ask: readonly WindowSide[];
}

/** Limits of the window, unless a few screens need more. */
export const maxHeld = { turns: 60, length: 1_000_000 };

/** Screens that are loaded ahead of the view: with room for another batch, and without. */
const screensAhead = 3;
const screensAheadWhenFull = 1;

/** Screens around the view that are never dropped. */
const screensKept = 2;

/**
 * Plans which turns to request and to drop. The plan converges: turns are dropped only if that
 * leaves no room for a batch, so they aren't requested again.
 */
export function planWindow(drawn: DrawnTurns): WindowPlan {
  if (drawn.height === 0) return { front: 0, back: 0, ask: [] };
  const dropped = planDropping(drawn);
  const ask = dropped.front + dropped.back > 0 ? [] : planRequests(drawn);
  return { ...dropped, ask };
}

function planDropping({ turns, height }: DrawnTurns): { front: number; back: number } {
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
    if (Math.max(above, below) <= screensKept * height) break;
    if (hasRoom(count - 1, length - farthest.length)) break;
    length -= farthest.length;
    if (farthest === first) front++;
    else back++;
  }
  return { front, back };
}

function planRequests({ turns, hasStart, hasEnd, height }: DrawnTurns): WindowSide[] {
  const screens = hasRoom(turns.length, lengthOf(turns)) ? screensAhead : screensAheadWhenFull;
  const above = -(turns[0]?.top ?? 0);
  const below = (turns.at(-1)?.bottom ?? 0) - height;
  return [
    ...(!hasEnd && below < screens * height ? ['after' as const] : []),
    ...(!hasStart && above < screens * height ? ['before' as const] : []),
  ];
}

/** True if another batch fits into the window. */
function hasRoom(count: number, length: number): boolean {
  return (
    count + viewBatchLimit.turns <= maxHeld.turns &&
    length + viewBatchLimit.length <= maxHeld.length
  );
}

function lengthOf(turns: readonly TurnBox[]): number {
  return turns.reduce((sum, turn) => sum + turn.length, 0);
}
