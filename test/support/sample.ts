/**
 * Long laws run whole in `npm test`, and wherever their file is run by its name; `npm run check`, which
 * is run after every change, looks at a sample of them.
 */
import fc from 'fast-check';

/** Set by `test/unit/run.ts` alone. */
const isSample = process.env['ASIDE_SAMPLE'] === 'yes';

// The same cases each time, so that a check, or a run that decides about a change, fails for what was
// changed and not by chance. Other runs try new cases.
if (isSample || process.env['CI'] === 'true') fc.configureGlobal({ seed: 7 });

/** How often a law is tried: so many times, in a sample a tenth of them. */
export function runs(whole: number, oneOf = 10): number {
  return isSample ? Math.ceil(whole / oneOf) : whole;
}

/** The cases that are looked at: all of them, in a sample one of each ten. */
export function cases<Case>(all: readonly Case[], oneOf = 10): readonly Case[] {
  return isSample ? all.filter((_, index) => index % oneOf === 0) : all;
}
