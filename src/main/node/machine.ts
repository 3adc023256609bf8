/** What only Node knows of the machine; `main/browser/machine.ts` has the same for a browser. */
import { thisMachine } from '../../host/node/thisMachine.ts';
import type { Machine } from '../../host/workspace/location.ts';

export { createFileSearch as fileSearch } from '../../host/node/createFileSearch.ts';
export { terminalProcesses as processesOfTerminals } from '../../host/node/processTree.ts';

/** The machine of the extension host; undefined in a browser. */
export const machineHere: () => Machine | undefined = thisMachine;
