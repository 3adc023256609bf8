/** Takes the place of `main/node/machine.ts` where there is no Node. */
import { fileSearches } from '../../host/workspace/fileSearches.ts';
import type * as node from '../node/machine.ts';

/** There are no programs, so the files are read one after the other. */
export const fileSearch: typeof node.fileSearch = () => Promise.resolve(fileSearches(undefined));

export const processesOfTerminals: typeof node.processesOfTerminals = () => undefined;

export const machineHere: typeof node.machineHere = () => undefined;

/** There is no program, so the journals are read one after the other. */
export const findJournals: typeof node.findJournals = () => Promise.resolve(undefined);
