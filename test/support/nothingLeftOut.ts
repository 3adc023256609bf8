import type { LeftOut } from '../../src/core/workspace/places.ts';

/** Excludes nothing from a search. */
export const nothingLeftOut: LeftOut = { globs: [], has: () => false };
