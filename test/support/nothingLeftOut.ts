import type { LeftOut } from '../../src/core/workspace/places.ts';

/** A search with this value omits nothing more. */
export const nothingLeftOut: LeftOut = { globs: [], has: () => false };
