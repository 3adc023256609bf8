import * as vscode from 'vscode';
import { reportTo } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import { createRedactor, type Redactor } from '../core/support/redact.ts';
import { ErrorReporter } from '../host/errorReporter.ts';
import { browserProcess } from '../host/browserProcess.ts';
import { Leases } from '../host/leases.ts';
import { Keys } from '../host/connection/keys.ts';
import type { KeptFiles } from '../host/keptFiles.ts';
import { Log } from '../host/log.ts';
import { Settings } from '../host/settings.ts';
import { Ledger } from '../host/usage/ledger.ts';
import { VirtualFiles } from '../host/virtualFiles.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';

/** The objects that every part of the wiring uses. */
export interface Base {
  readonly context: vscode.ExtensionContext;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
  /** Chats, texts of changed files and token counts: everything outside VS Code's own state. */
  readonly keptFiles: KeptFiles;
  readonly output: vscode.LogOutputChannel;
  readonly redactor: Redactor;
  readonly keys: Keys;
  readonly log: Log;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
}

/** @param folder `leases`: which window writes which chat; `windows`: which windows are running */
export function createLeases(base: Base, folder: 'leases' | 'windows'): Leases {
  return new Leases({
    files: base.keptFiles.folder(folder),
    host: nodeOfKept(base)?.process() ?? browserProcess(),
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
    clock: systemClock,
  });
}

/**
 * Counts usage in the files that all windows share.
 *
 * @param written returns the written id of an origin's model
 */
export function createLedger(base: Base, written: (origin: string, id: string) => string): Ledger {
  return new Ledger({
    files: base.keptFiles.folder('usage'),
    fileOf: usageFileOf(base),
    written,
    clock: systemClock,
    leases: createLeases(base, 'windows'),
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
    onError: (what, error) => base.log.error(what, error),
  });
}

export function createBase(context: vscode.ExtensionContext, node: NodePlatform | undefined): Base {
  const redactor = createRedactor();
  const output = vscode.window.createOutputChannel('Aside', { log: true });
  const keys = new Keys(context.secrets, redactor);
  const log = new Log(output, redactor, keys.learned());
  for (const reportIn of [reportTo, node?.reportTo])
    reportIn?.((error) => log.error('In the background', error));
  const keptFiles = openKept({ context, node }, log);
  const settings = new Settings((problem) => log.warn(problem), {
    files: keptFiles.folder('settings'),
    clock: systemClock,
    onError: (error) => log.error('Sharing the budget with other windows', error),
  });
  const silenceSeconds = (): number => settings.current().requestTimeoutSeconds;
  const errors = new ErrorReporter({ redactor, log, silenceSeconds });
  return { context, node, keptFiles, output, redactor, keys, log, settings, errors };
}

/** Opens the storage and makes it private to this user of the machine. */
function openKept(runtime: Runtime, log: Log): KeptFiles {
  const { globalStorageUri: folder } = runtime.context;
  const keptFiles = nodeOfKept(runtime)?.diskFiles(folder.fsPath) ?? new VirtualFiles(folder);
  keptFiles
    .prepare()
    .catch((error: unknown) => log.error('Keeping stored chats from other users', error));
  return keptFiles;
}

type Runtime = Pick<Base, 'context' | 'node'>;

/** Node, if VS Code's storage for Aside is a folder on disk; else undefined. */
function nodeOfKept({ context, node }: Runtime): NodePlatform | undefined {
  return context.globalStorageUri.scheme === 'file' ? node : undefined;
}

/**
 * The file for the usage of a day: one file for each month on disk, one for each day elsewhere.
 * Appending elsewhere lists the segments of the file, and a month has too many of them.
 */
function usageFileOf(runtime: Runtime): (day: string) => string {
  const isOnDisk = nodeOfKept(runtime) !== undefined;
  return isOnDisk ? (day) => `${day.slice(0, 7)}.jsonl` : (day) => `${day}.jsonl`;
}
