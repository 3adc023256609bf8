import * as vscode from 'vscode';
import { findProcessTree } from './processTree.ts';

/**
 * How to find what a terminal started: undefined where the extension runs on another machine than
 * the terminals, whose processes have the same numbers as strangers here.
 */
export function terminalProcesses({
  extension,
}: Pick<vscode.ExtensionContext, 'extension'>): typeof findProcessTree | undefined {
  const isBesideThem =
    vscode.env.remoteName === undefined ||
    extension.extensionKind === vscode.ExtensionKind.Workspace;
  return isBesideThem ? findProcessTree : undefined;
}
