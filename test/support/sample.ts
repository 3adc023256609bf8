/**
 * Long laws are tried with a sample of their cases. `npm run test:unit -- --whole`, which is part of
 * `npm run test:everywhere`, tries all of them.
 */
import fc from 'fast-check';

/** Set by `test/unit/run.ts` alone. */
const isSample = process.env['ASIDE_SAMPLE'] === 'yes';

// The same cases each time, so that a run after a change, or one that decides about it, fails for what
// was changed and not by chance. Whole runs try new cases.
if (isSample || process.env['CI'] === 'true') fc.configureGlobal({ seed: 7 });

/** How often a law is tried: `whole` times, in a sample by default a tenth of that. */
export function runs(whole: number, oneOf = 10): number {
  return isSample ? Math.ceil(whole / oneOf) : whole;
}

/** The cases that are tried: all of them, in a sample by default one of each ten. */
export function cases<Case>(all: readonly Case[], oneOf = 10): readonly Case[] {
  return isSample ? all.filter((_, index) => index % oneOf === 0) : all;
}
