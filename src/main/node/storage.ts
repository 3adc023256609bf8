import * as vscode from 'vscode';
import { noProcess, type HostProcess, type LeaseFiles } from '../../host/chat/leases.ts';
import { SegmentStorage, VirtualLeaseFiles } from '../../host/chat/segmentStorage.ts';
import type { ChatTrash } from '../../host/history/trash.ts';
import { VirtualTrash } from '../../host/history/virtualTrash.ts';
import { DiskLeaseFiles, hostProcess } from '../../host/node/diskLeaseFiles.ts';
import { DiskTrash } from '../../host/node/diskTrash.ts';
import { FileLines } from '../../host/node/fileLines.ts';
import { FileStorage } from '../../host/node/fileStorage.ts';
import { createOwnerFolder } from '../../host/node/ownerOnly.ts';
import { SegmentLines, type SharedLines } from '../../host/usage/sharedLines.ts';

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

/** Where windows tell each other which chats they write, and how they find out who is gone. */
export function leaseStorage(folder: vscode.Uri): {
  readonly files: LeaseFiles;
  readonly host: HostProcess;
} {
  return folder.scheme === 'file'
    ? { files: new DiskLeaseFiles(folder.fsPath), host: hostProcess() }
    : { files: new VirtualLeaseFiles(folder), host: noProcess };
}

/** Lines that all windows append: a file where there is a disk, else a folder of segments. */
export function sharedLines(folder: vscode.Uri, name: string): SharedLines {
  return folder.scheme === 'file'
    ? new FileLines(vscode.Uri.joinPath(folder, `${name}.jsonl`).fsPath)
    : new SegmentLines(vscode.Uri.joinPath(folder, name));
}

/** Creates a folder that other users of the machine cannot read. */
export async function createPrivateFolder(folder: vscode.Uri): Promise<void> {
  if (folder.scheme === 'file') await createOwnerFolder(folder.fsPath);
}
