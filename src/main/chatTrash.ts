import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { ChangeFiles } from '../host/changes/changeFiles.ts';
import { eraseExpired, type ChatTrash } from '../host/history/trash.ts';
import { VirtualTrash } from '../host/history/virtualTrash.ts';
import { DiskTrash } from '../host/node/diskTrash.ts';
import type { Base } from './base.ts';

/** Creates the place of deleted chats, beside the others, and erases those that were deleted too long ago. */
export function createChatTrash({ context, log }: Pick<Base, 'context' | 'log'>): ChatTrash {
  const { globalStorageUri } = context;
  const folder = vscode.Uri.joinPath(globalStorageUri, 'chats');
  const trash = folder.scheme === 'file' ? new DiskTrash(folder.fsPath) : new VirtualTrash(folder);
  const changes = new ChangeFiles(vscode.Uri.joinPath(globalStorageUri, 'changes'));
  // The texts from before the changes of a chat belong to it.
  const forget = (id: string): Promise<void> => changes.removeChat(id);
  eraseExpired(trash, forget, systemClock.wall()).catch((error: unknown) =>
    log.error('Removing deleted chats', error),
  );
  return trash;
}
