import * as vscode from 'vscode';
import { reportTo } from '../core/support/background.ts';
import { DiskFiles } from '../host/node/diskFiles.ts';
import { readRepository } from '../host/node/gitReader.ts';
import { findRipgrep, ripgrepAt } from '../host/node/ripgrepRun.ts';
import { terminalProcesses } from '../host/node/processTree.ts';
import { hostProcess, isLocked, thisMachine } from '../host/node/thisMachine.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';

/** Node of the extension host, in a separate script that browsers don't load. */
export const thisNode: NodePlatform = {
  reportTo,
  machine: thisMachine,
  diskFiles: (folder) => new DiskFiles(folder),
  process: hostProcess,
  async ripgrep() {
    const program = await findRipgrep(vscode.env.appRoot);
    return program === undefined ? undefined : ripgrepAt(program);
  },
  isLocked,
  readRepository,
  processesOfTerminals: terminalProcesses,
};
