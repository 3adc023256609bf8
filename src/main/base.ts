import * as vscode from 'vscode';
import { createRedactor, type Redactor } from '../core/support/redact.ts';
import { ErrorReporter } from '../host/errorReporter.ts';
import { SegmentStorage } from '../host/chat/segmentStorage.ts';
import { Keys } from '../host/connection/keys.ts';
import { Log } from '../host/log.ts';
import { FileStorage } from '../host/node/fileStorage.ts';
import { Settings } from '../host/settings.ts';

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

export function createBase(context: vscode.ExtensionContext): Base {
  const redactor = createRedactor();
  const output = vscode.window.createOutputChannel('Aside', { log: true });
  const keys = new Keys(context.secrets, redactor);
  const log = new Log(output, redactor, keys.learned());
  const settings = new Settings((problem) => log.warn(problem));
  const silenceSeconds = (): number => settings.current().requestTimeoutSeconds;
  const errors = new ErrorReporter({ redactor, log, silenceSeconds });
  return { context, output, redactor, keys, log, settings, errors };
}
