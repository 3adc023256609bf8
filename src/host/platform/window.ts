import * as vscode from 'vscode';
import type { Redactor } from '../../core/support/redact.ts';
import type { ErrorReporter } from './errorText.ts';
import type { KeptFiles } from './keptFiles.ts';
import { type HostProcess, noProcess, type NodePlatform } from './platform.ts';
import type { Log } from './log.ts';
import type { Settings } from './settings.ts';
import { background } from '../../core/support/background.ts';
import type { Event } from '../../core/support/event.ts';
import { isObject } from '../../core/support/json.ts';

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

/** Whether VS Code's window has the focus of the machine. */
export interface WindowFocus {
  isFocused(): boolean;
  readonly onDidChange: Event<unknown>;
}

export const windowFocus: WindowFocus = {
  isFocused: () => vscode.window.state.focused,
  onDidChange: (listener) => vscode.window.onDidChangeWindowState(listener),
};

/** The address of the first folder, which new chats are tagged with; empty without a folder. */
export function firstFolder(): string {
  return vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '';
}

/** Node, if VS Code's storage for Aside is a folder on disk; else undefined. */
export function nodeOfKept({ context, node }: HostRuntime): NodePlatform | undefined {
  return context.globalStorageUri.scheme === 'file' ? node : undefined;
}

/** The part of `navigator.locks` that Aside uses. */
interface Locks {
  request(name: string, hold: () => Promise<unknown>): Promise<unknown>;
  query(): Promise<LockNames>;
}

interface LockNames {
  readonly held?: readonly { readonly name?: string }[];
  readonly pending?: readonly { readonly name?: string }[];
}

interface WorkerScope {
  readonly navigator?: unknown;
  readonly origin?: unknown;
}

/**
 * The browser worker that runs the extension. It holds a lock until it ends, even if it crashes, so that
 * workers of the same origin can look for it. VS Code gives each workspace's worker another origin.
 */
export function browserProcess(scope: WorkerScope = globalThis): HostProcess {
  const { origin } = scope;
  const { navigator } = scope;
  const found = isObject(navigator) ? navigator['locks'] : undefined;
  const locks = isLocks(found) ? found : undefined;
  if (locks === undefined || typeof origin !== 'string' || origin === 'null') return noProcess;
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const untilItEnds = new Promise<never>(() => undefined);
  // If that fails, other windows may write its chats, which it notices before it writes the next line.
  background(locks.request(nameOf(id), () => untilItEnds));
  return {
    machine: `browser ${origin}`,
    id,
    async isRunning(other) {
      const { held = [], pending = [] } = await locks.query();
      return [...held, ...pending].some(({ name }) => name === nameOf(other));
    },
  };
}

function nameOf(id: number): string {
  return `aside-window-${id}`;
}

function isLocks(value: unknown): value is Locks {
  return isObject(value) && ['request', 'query'].every((name) => typeof value[name] === 'function');
}
