/**
 * Runs slow properties with a sample of their cases. `npm run test:unit -- --whole`, which is part
 * of `npm run test:everywhere`, runs all of them.
 */
import fc from 'fast-check';

/** Set only by `test/unit/run.ts`. */
const isSample = process.env['ASIDE_SAMPLE'] === 'yes';

// The same cases each time, so that a run fails because of a change and not by chance. Whole runs
// use new cases.
if (isSample || process.env['CI'] === 'true') fc.configureGlobal({ seed: 7 });

/** Number of runs of a property: `whole`, or by default a tenth of that in a sample. */
export function runs(whole: number, oneOf = 10): number {
  return isSample ? Math.ceil(whole / oneOf) : whole;
}

/** Cases to test: all of them, or by default every tenth in a sample. */
export function cases<Case>(all: readonly Case[], oneOf = 10): readonly Case[] {
  return isSample ? all.filter((_, index) => index % oneOf === 0) : all;
}
