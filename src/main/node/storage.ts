import type * as vscode from 'vscode';
import { noProcess, type HostProcess } from '../../host/leases.ts';
import type { KeptFiles } from '../../host/keptFiles.ts';
import { DiskFiles } from '../../host/node/diskFiles.ts';
import { hostProcess } from '../../host/node/hostProcess.ts';
import { VirtualFiles } from '../../host/virtualFiles.ts';

/** The files that Aside keeps: on a disk where there is one. */
export function keptFiles(folder: vscode.Uri): KeptFiles {
  return folder.scheme === 'file' ? new DiskFiles(folder.fsPath) : new VirtualFiles(folder);
}

/** How windows that keep files there find out who is gone. */
export function processOf(folder: vscode.Uri): HostProcess {
  return folder.scheme === 'file' ? hostProcess() : noProcess;
}

/**
 * The file for the usage of a day. Where lines are segments, these are listed to append another one:
 * those of a month are too many.
 */
export function usageFileOf(folder: vscode.Uri): (day: string) => string {
  return folder.scheme === 'file' ? (day) => `${day.slice(0, 7)}.jsonl` : (day) => `${day}.jsonl`;
}
