import type * as vscode from 'vscode';
import { noProcess, type HostProcess } from '../../host/chat/leases.ts';
import { SegmentStorage } from '../../host/chat/segmentStorage.ts';
import type { ChatTrash } from '../../host/history/trash.ts';
import { VirtualTrash } from '../../host/history/virtualTrash.ts';
import type { KeptFiles } from '../../host/keptFiles.ts';
import { DiskFiles } from '../../host/node/diskFiles.ts';
import { hostProcess } from '../../host/node/hostProcess.ts';
import { DiskTrash } from '../../host/node/diskTrash.ts';
import { FileStorage } from '../../host/node/fileStorage.ts';
import { VirtualFiles } from '../../host/virtualFiles.ts';

/** The files that Aside keeps: on a disk where there is one. */
export function keptFiles(folder: vscode.Uri): KeptFiles {
  return folder.scheme === 'file' ? new DiskFiles(folder.fsPath) : new VirtualFiles(folder);
}

/** Where chats are saved. */
export type ChatStorage = FileStorage | SegmentStorage;

/** Files that can be appended to where there is a disk, else numbered segments. */
export function chatStorage(folder: vscode.Uri): ChatStorage {
  return folder.scheme === 'file' ? new FileStorage(folder.fsPath) : new SegmentStorage(folder);
}

/** Where deleted chats are kept. */
export function chatTrash(chats: vscode.Uri): ChatTrash {
  return chats.scheme === 'file' ? new DiskTrash(chats.fsPath) : new VirtualTrash(chats);
}

/** How windows that keep files there find out who is gone. */
export function processOf(folder: vscode.Uri): HostProcess {
  return folder.scheme === 'file' ? hostProcess() : noProcess;
}
