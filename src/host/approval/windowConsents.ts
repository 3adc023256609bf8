import type * as vscode from 'vscode';
import { workspaceIdentity } from '../../core/workspace/disk.ts';
import { windowDialogs } from '../dialogs.ts';
import { workspaceFolders, type Machine } from '../workspace/location.ts';
import { Consents } from './consents.ts';

export function createWindowConsents(
  { globalState }: vscode.ExtensionContext,
  machine: Machine | undefined,
): Consents {
  return new Consents({
    state: globalState,
    workspace: () => workspaceIdentity(workspaceFolders(), machine?.view),
    dialogs: windowDialogs,
  });
}
