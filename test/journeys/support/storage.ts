import { join } from 'node:path';
import { DiskFiles } from '../../../src/host/node/diskFiles.ts';
import type { KeptFiles } from '../../../src/host/platform/keptFiles.ts';
import { virtualFiles } from '../../support/virtualFiles.ts';
import { hostName, hosts } from '../../support/vscode/hosts.ts';
import type { Journey } from './journey.ts';

/** Aside's chats and usage, as this host stores them in the user folder. */
export function storageOf({ userFolder }: Pick<Journey, 'userFolder'>): KeptFiles {
  const folder = join(userFolder, 'User/globalStorage/aside-chat.aside');
  return hosts[hostName].inWorker ? virtualFiles(folder) : new DiskFiles(folder);
}
