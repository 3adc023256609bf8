import type * as vscode from 'vscode';
import type { RipgrepProgram } from '../core/search/ripgrep.ts';
import type { KeptFiles } from '../host/keptFiles.ts';
import type { HostProcess } from '../host/leases.ts';
import type { FindProcessTree } from '../host/terminal/commandTerminals.ts';
import type { ReadRepository } from '../host/workspace/gitExtension.ts';
import type { Machine } from '../host/workspace/location.ts';

/**
 * Everything that needs Node: `main/node` has it, in a script of its own, and in a browser there is
 * none. It shares no class with the rest, since each script would have its own one.
 */
export interface NodePlatform {
  /** The machine of the extension host. */
  machine(): Machine;
  /** Files that are kept in a folder of the disk. */
  diskFiles(folder: string): KeptFiles;
  /** How windows that keep files on a disk find out who is gone. */
  process(): HostProcess;
  /** The ripgrep of VS Code; undefined where it has none. */
  ripgrep(): Promise<RipgrepProgram | undefined>;
  /** Reads a repository of the disk. */
  readonly readRepository: ReadRepository;
  /** Finds the processes of a terminal; undefined where terminals run on another machine. */
  processesOfTerminals(
    context: Pick<vscode.ExtensionContext, 'extension'>,
  ): FindProcessTree | undefined;
}
