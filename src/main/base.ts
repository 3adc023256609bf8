import * as vscode from 'vscode';
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
import type { NodePlatform } from './nodePlatform.ts';

/** The objects that every part of the wiring uses. */
export interface Base {
  readonly context: vscode.ExtensionContext;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
  /** Chats, texts of changed files, token counts: all that is not in VS Code's own state. */
  readonly kept: KeptFiles;
  readonly output: vscode.LogOutputChannel;
  readonly redactor: Redactor;
  readonly keys: Keys;
  readonly log: Log;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
}

/** @param folder for `leases`, which window writes which chat; for `windows`, which of them run */
export function createLeases(base: Base, folder: 'leases' | 'windows'): Leases {
  return new Leases({
    files: base.kept.folder(folder),
    host: nodeOfKept(base)?.process() ?? browserProcess(),
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
    clock: systemClock,
  });
}

/**
 * Counts usage in the files that all windows share.
 *
 * @param written how a model of an origin is written
 */
export function createLedger(base: Base, written: (origin: string, id: string) => string): Ledger {
  return new Ledger({
    files: base.kept.folder('usage'),
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
  const kept = openKept({ context, node }, log);
  const settings = new Settings((problem) => log.warn(problem), {
    files: kept.folder('settings'),
    clock: systemClock,
    onError: (error) => log.error('Sharing the budget with other windows', error),
  });
  const silenceSeconds = (): number => settings.current().requestTimeoutSeconds;
  const errors = new ErrorReporter({ redactor, log, silenceSeconds });
  return { context, node, kept, output, redactor, keys, log, settings, errors };
}

/** Takes the files from other users of the machine. */
function openKept(place: Place, log: Log): KeptFiles {
  const { globalStorageUri: folder } = place.context;
  const kept = nodeOfKept(place)?.diskFiles(folder.fsPath) ?? new VirtualFiles(folder);
  kept
    .prepare()
    .catch((error: unknown) => log.error('Keeping stored chats from other users', error));
  return kept;
}

type Place = Pick<Base, 'context' | 'node'>;

/** The Node that can keep files where VS Code gave Aside a folder. */
function nodeOfKept({ context, node }: Place): NodePlatform | undefined {
  return context.globalStorageUri.scheme === 'file' ? node : undefined;
}

/**
 * The file for the usage of a day. Where lines are segments, these are listed to append another one:
 * those of a month are too many.
 */
function usageFileOf(place: Place): (day: string) => string {
  const isOnDisk = nodeOfKept(place) !== undefined;
  return isOnDisk ? (day) => `${day.slice(0, 7)}.jsonl` : (day) => `${day}.jsonl`;
}
