/** Takes the place of `main/node/storage.ts` where there is no Node. */
import { noProcess } from '../../host/chat/leases.ts';
import { SegmentStorage } from '../../host/chat/segmentStorage.ts';
import { VirtualTrash } from '../../host/history/virtualTrash.ts';
import { VirtualFiles } from '../../host/virtualFiles.ts';
import type * as node from '../node/storage.ts';

export const keptFiles: typeof node.keptFiles = (folder) => new VirtualFiles(folder);

export const chatStorage: typeof node.chatStorage = (folder) => new SegmentStorage(folder);

export const chatTrash: typeof node.chatTrash = (chats) => new VirtualTrash(chats);

export const processOf: typeof node.processOf = () => noProcess;
