/** Takes the place of `main/node/storage.ts` where there is no Node. */
import { noProcess } from '../../host/leases.ts';
import { VirtualFiles } from '../../host/virtualFiles.ts';
import type * as node from '../node/storage.ts';

export const keptFiles: typeof node.keptFiles = (folder) => new VirtualFiles(folder);

export const processOf: typeof node.processOf = () => noProcess;

export const usageFileOf: typeof node.usageFileOf = () => (day) => `${day}.jsonl`;
