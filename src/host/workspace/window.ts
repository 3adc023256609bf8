import * as vscode from 'vscode';
import { systemClock } from '../../core/support/clock.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { browserProcess } from '../browserProcess.ts';
import type { ErrorReporter } from '../errorReporter.ts';
import type { KeptFiles } from '../keptFiles.ts';
import { Leases } from '../leases.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import type { NodePlatform } from './platform.ts';

export interface HostRuntime {
  readonly context: vscode.ExtensionContext;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
}

/** Objects that every feature of a window may use. */
export interface HostWindow extends HostRuntime {
  /** Chats, texts of changed files and token counts: everything outside VS Code's own state. */
  readonly keptFiles: KeptFiles;
  readonly redactor: Redactor;
  readonly log: Log;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
}

/** The address of the first folder, which new chats are tagged with; empty without a folder. */
export function firstFolder(): string {
  return vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '';
}

/** Node, if VS Code's storage for Aside is a folder on disk; else undefined. */
export function nodeOfKept({ context, node }: HostRuntime): NodePlatform | undefined {
  return context.globalStorageUri.scheme === 'file' ? node : undefined;
}

/** @param folder `leases`: which window writes which chat; `windows`: which windows are running */
export function createLeases(window: HostWindow, folder: 'leases' | 'windows'): Leases {
  return new Leases({
    files: window.keptFiles.folder(folder),
    host: nodeOfKept(window)?.process() ?? browserProcess(),
    workspace: firstFolder(),
    clock: systemClock,
  });
}

/** True if a tab of this window shows a diff whose proposed text has the scheme. */
export function isDiffOpen(scheme: string): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(
    ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === scheme,
  );
}
