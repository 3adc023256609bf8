import type { LeftOut } from '../../src/core/files/places.ts';

/** Excludes nothing from a search. */
export const nothingLeftOut: LeftOut = { globs: [], has: () => false };
