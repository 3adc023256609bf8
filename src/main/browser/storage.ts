/** Takes the place of `main/node/storage.ts` where there is no Node. */
import * as vscode from 'vscode';
import { noProcess } from '../../host/chat/leases.ts';
import { SegmentStorage, VirtualLeaseFiles } from '../../host/chat/segmentStorage.ts';
import { VirtualTrash } from '../../host/history/virtualTrash.ts';
import { SegmentLines } from '../../host/usage/sharedLines.ts';
import type * as node from '../node/storage.ts';

export const chatStorage: typeof node.chatStorage = (folder) => new SegmentStorage(folder);

export const chatTrash: typeof node.chatTrash = (chats) => new VirtualTrash(chats);

export const leaseStorage: typeof node.leaseStorage = (folder) => ({
  files: new VirtualLeaseFiles(folder),
  host: noProcess,
});

export const sharedLines: typeof node.sharedLines = (folder, name) =>
  new SegmentLines(vscode.Uri.joinPath(folder, name));

/** VS Code keeps the storage of a browser from other sites. */
export const createPrivateFolder: typeof node.createPrivateFolder = () => Promise.resolve();
