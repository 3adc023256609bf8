import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { createRedactor, type Redactor } from '../core/support/redact.ts';
import { ErrorReporter } from '../host/errorReporter.ts';
import { Leases } from '../host/leases.ts';
import { Keys } from '../host/connection/keys.ts';
import type { KeptFiles } from '../host/keptFiles.ts';
import { Log } from '../host/log.ts';
import { Settings } from '../host/settings.ts';
import { Ledger } from '../host/usage/ledger.ts';
import { keptFiles, processOf, usageFileOf } from './node/storage.ts';

/** The objects that every part of the wiring uses. */
export interface Base {
  readonly context: vscode.ExtensionContext;
  /** Chats, texts of changed files, token counts: all that is not in VS Code's own state. */
  readonly kept: KeptFiles;
  readonly output: vscode.LogOutputChannel;
  readonly redactor: Redactor;
  readonly keys: Keys;
  readonly log: Log;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
}

/** Which window writes which chat. */
export function createLeases({ context, kept }: Base): Leases {
  return new Leases({
    files: kept.folder('leases'),
    host: processOf(context.globalStorageUri),
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
    clock: systemClock,
  });
}

/**
 * Counts usage in the files that all windows share.
 *
 * @param written how a model of an origin is written
 */
export function createLedger(
  { context, kept, log }: Base,
  written: (origin: string, id: string) => string,
): Ledger {
  return new Ledger({
    files: kept.folder('usage'),
    fileOf: usageFileOf(context.globalStorageUri),
    written,
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
  return { context, kept: openKept(context, log), output, redactor, keys, log, settings, errors };
}

/** Takes the files from other users of the machine. */
function openKept({ globalStorageUri }: vscode.ExtensionContext, log: Log): KeptFiles {
  const kept = keptFiles(globalStorageUri);
  kept
    .prepare()
    .catch((error: unknown) => log.error('Keeping stored chats from other users', error));
  return kept;
}
