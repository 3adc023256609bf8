/** Takes the place of `main/node/history.ts` where there is no Node. */
import type * as node from '../node/history.ts';

/** There is no program, so the journals are read one after the other. */
export const findJournals: typeof node.findJournals = () => Promise.resolve(undefined);
