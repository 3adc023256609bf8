import type * as vscode from 'vscode';
import type { RipgrepProgram } from '../core/search/ripgrep.ts';
import type { reportTo } from '../core/support/background.ts';
import type { KeptFiles } from '../host/keptFiles.ts';
import type { HostProcess } from '../host/leases.ts';
import type { FindProcessTree } from '../host/terminal/commandTerminals.ts';
import type { ReadRepository } from '../host/workspace/gitExtension.ts';
import type { Machine } from '../host/workspace/location.ts';

/**
 * Everything that needs Node. `main/node` implements it in a script of its own, which a browser doesn't
 * have. It shares no class with the other scripts, since each would have its own copy.
 */
export interface NodePlatform {
  /** Sets where errors in this script are reported to. */
  readonly reportTo: typeof reportTo;
  /** The machine of the extension host. */
  machine(): Machine;
  /** Files that are kept in a folder of the disk. */
  diskFiles(folder: string): KeptFiles;
  /** Tells windows that keep files on disk which of them are gone. */
  process(): HostProcess;
  /** VS Code's ripgrep; undefined if it has none. */
  ripgrep(): Promise<RipgrepProgram | undefined>;
  /** Reads a repository of the disk. */
  readonly readRepository: ReadRepository;
  /** Finds the processes of a terminal; undefined if terminals run on another machine. */
  processesOfTerminals(
    context: Pick<vscode.ExtensionContext, 'extension'>,
  ): FindProcessTree | undefined;
}
