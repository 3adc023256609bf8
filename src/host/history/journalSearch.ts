import { withoutDot, type RipgrepProgram } from '../../core/search/ripgrep.ts';
import type { FindJournals } from './chatSearch.ts';

/** The extension of journals, and of no other file in the searched folder. */
const ending = '.jsonl';

/** Searches all journals, and ignores any `.gitignore` around them. */
const always = [
  '--no-config',
  '--no-messages',
  '--no-ignore',
  '--hidden',
  '--text',
  '--color=never',
  '--max-depth=1',
  `--glob=*${ending}`,
  '--files-with-matches',
  // Shows the first hits early. Names of journals contain no line breaks.
  '--line-buffered',
  '--ignore-case',
  '--multiline',
  // Words of some scripts make large patterns.
  '--regex-size-limit=100M',
  '--dfa-size-limit=100M',
];

/**
 * Finds journals in a folder of the disk with the ripgrep that comes with VS Code. There is no index:
 * the pattern allows for the cuts between records, and is as fast as a plain word.
 */
export function findJournalsIn(folder: string, program: RipgrepProgram): FindJournals {
  return async (pattern, onMatch, signal) => {
    const args = [...always, `--regexp=${pattern}`, '--', './'];
    const onPart = (path: string): boolean => {
      onMatch(withoutDot(path, program.separator).slice(0, -ending.length));
      return true;
    };
    const problem = await program.run({ args, folder, end: '\n', onPart }, signal);
    if (problem !== '') throw new Error(problem);
  };
}
