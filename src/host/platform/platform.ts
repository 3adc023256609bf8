import type * as vscode from 'vscode';
import type { RipgrepProgram } from '../../core/files/ripgrep.ts';
import type { RunningProcess } from '../../core/conversation/conversation.ts';
import type { reportTo } from '../../core/support/background.ts';
import type { KeptFiles } from './keptFiles.ts';
import type { ReadRepository } from './git.ts';
import type { Machine } from './location.ts';

/** The process of this window, as other processes on the same machine can look it up. */
export interface HostProcess {
  /** The machine since it was started, or the browser; empty where processes cannot be looked for. */
  readonly machine: string;
  readonly id: number;
  isRunning(id: number): boolean | Promise<boolean>;
}

/** Used where processes can't be looked for: then only the age of a lock counts. */
export const noProcess: HostProcess = { machine: '', id: 0, isRunning: () => false };

/** The processes of terminals. */
export interface TerminalProcesses {
  /** Finds a process and all that it started, and resolves with a function that kills them. */
  findTree(id: number): Promise<() => Promise<void>>;
  /**
   * What a process started and what still runs; empty on Windows. On Linux also what has detached
   * from it, which `mark` tells.
   *
   * @param mark `NAME=value`, a variable in the environment of all that it starts
   */
  startedBy(id: number, mark: string): Promise<readonly RunningProcess[]>;
  /** Kills those that still run, with what they started. */
  end(processes: readonly RunningProcess[]): Promise<void>;
}

/**
 * Everything that needs Node. `host/node/platform.ts` implements it in a script of its own, which a browser doesn't
 * have. It shares no class with the other scripts, since each would have its own copy.
 */
export interface NodePlatform {
  /** Sets where errors in this script are reported to. */
  readonly reportTo: typeof reportTo;
  machine(): Machine;
  diskFiles(folder: string): KeptFiles;
  /** Tells windows that keep files on disk which of them are gone. */
  readonly process: () => HostProcess;
  /** VS Code's ripgrep; undefined if it has none. */
  ripgrep(): Promise<RipgrepProgram | undefined>;
  /** True if the owner of a file on disk may not write it, for which VS Code doesn't save it. */
  readonly isLocked: (path: string) => Promise<boolean>;
  readonly readRepository: ReadRepository;
  /** Finds the processes of a terminal; undefined if terminals run on another machine. */
  processesOfTerminals(context: vscode.ExtensionContext): TerminalProcesses | undefined;
}
