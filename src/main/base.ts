import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { createRedactor, type Redactor } from '../core/support/redact.ts';
import { ErrorReporter } from '../host/errorReporter.ts';
import { SegmentStorage } from '../host/chat/segmentStorage.ts';
import { Log } from '../host/log.ts';
import { FileLines } from '../host/node/fileLines.ts';
import { FileStorage } from '../host/node/fileStorage.ts';
import { Settings } from '../host/settings.ts';
import { Ledger } from '../host/usage/ledger.ts';
import { SegmentLines } from '../host/usage/sharedLines.ts';

/** The objects that every part of the wiring uses. */
export interface Base {
  readonly context: vscode.ExtensionContext;
  readonly output: vscode.LogOutputChannel;
  readonly redactor: Redactor;
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
  const log = new Log(output, redactor);
  const settings = new Settings((problem) => log.warn(problem));
  const silenceSeconds = (): number => settings.current().requestTimeoutSeconds;
  const errors = new ErrorReporter({ redactor, log, silenceSeconds });
  return { context, output, redactor, log, settings, errors };
}
