import * as vscode from 'vscode';
import { reportTo } from '../../core/support/background.ts';
import { DiskFiles } from './diskFiles.ts';
import { readRepository } from './gitReader.ts';
import { findRipgrep, ripgrepAt } from './ripgrepRun.ts';
import { terminalProcesses } from './processTree.ts';
import { hostProcess, isLocked, thisMachine } from './thisMachine.ts';
import type { NodePlatform } from '../platform/platform.ts';

let ripgrep: ReturnType<NodePlatform['ripgrep']> | undefined;

/** Node of the extension host, in a separate script that browsers don't load. */
export const thisNode: NodePlatform = {
  reportTo,
  machine: thisMachine,
  diskFiles: (folder) => new DiskFiles(folder),
  process: hostProcess,
  ripgrep: () =>
    (ripgrep ??= findRipgrep(vscode.env.appRoot).then((program) =>
      program === undefined ? undefined : ripgrepAt(program),
    )),
  isLocked,
  readRepository,
  processesOfTerminals: terminalProcesses,
};
