import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { createRedactor, type Redactor } from '../core/support/redact.ts';
import { ErrorReporter } from '../host/errorReporter.ts';
import { Leases } from '../host/chat/leases.ts';
import { SegmentStorage, VirtualLeaseFiles } from '../host/chat/segmentStorage.ts';
import { Keys } from '../host/connection/keys.ts';
import { Log } from '../host/log.ts';
import { DiskLeaseFiles, hostProcess } from '../host/node/diskLeaseFiles.ts';
import { FileLines } from '../host/node/fileLines.ts';
import { FileStorage } from '../host/node/fileStorage.ts';
import { createOwnerFolder } from '../host/node/ownerOnly.ts';
import { Settings } from '../host/settings.ts';
import { Ledger } from '../host/usage/ledger.ts';
import { SegmentLines } from '../host/usage/sharedLines.ts';

/** The objects that every part of the wiring uses. */
export interface Base {
  readonly context: vscode.ExtensionContext;
  readonly output: vscode.LogOutputChannel;
  readonly redactor: Redactor;
  readonly keys: Keys;
  readonly log: Log;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
}

/** Where chats are saved. */
export type ChatStorage = FileStorage | SegmentStorage;

/** Files that can be appended to where there is a disk, else numbered segments. */
export function createChatStorage({ globalStorageUri }: vscode.ExtensionContext): ChatStorage {
  const folder = vscode.Uri.joinPath(globalStorageUri, 'chats');
  return folder.scheme === 'file' ? new FileStorage(folder.fsPath) : new SegmentStorage(folder);
}

/** Which window writes which chat. */
export function createLeases({ globalStorageUri }: vscode.ExtensionContext): Leases {
  const folder = vscode.Uri.joinPath(globalStorageUri, 'leases');
  const isOnDisk = folder.scheme === 'file';
  return new Leases({
    files: isOnDisk ? new DiskLeaseFiles(folder.fsPath) : new VirtualLeaseFiles(folder),
    host: isOnDisk ? hostProcess() : { machine: '', id: 0, isRunning: () => false },
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
    clock: systemClock,
  });
}

/** Counts usage in a file for each day, or in a folder of segments where there is no disk. */
export function createLedger({ context, log }: Base): Ledger {
  const folder = vscode.Uri.joinPath(context.globalStorageUri, 'usage');
  return new Ledger({
    lines: (day) =>
      folder.scheme === 'file'
        ? new FileLines(vscode.Uri.joinPath(folder, `${day}.jsonl`).fsPath)
        : new SegmentLines(vscode.Uri.joinPath(folder, day)),
    clock: systemClock,
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
    onError: (what, error) => log.error(what, error),
  });
}

export function createBase(context: vscode.ExtensionContext): Base {
  const redactor = createRedactor();
  const output = vscode.window.createOutputChannel('Aside', { log: true });
  const keys = new Keys(context.secrets, redactor);
  const log = new Log(output, redactor, keys.learned());
  const settings = new Settings((problem) => log.warn(problem));
  const silenceSeconds = (): number => settings.current().requestTimeoutSeconds;
  const errors = new ErrorReporter({ redactor, log, silenceSeconds });
  keepStoragePrivate(context, log);
  return { context, output, redactor, keys, log, settings, errors };
}

/** Chats, texts of changed files and token counts are in this folder. */
function keepStoragePrivate({ globalStorageUri }: vscode.ExtensionContext, log: Log): void {
  if (globalStorageUri.scheme !== 'file') return;
  createOwnerFolder(globalStorageUri.fsPath).catch((error: unknown) =>
    log.error('Keeping stored chats from other users', error),
  );
}
