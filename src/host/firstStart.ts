import * as vscode from 'vscode';
import { chatViewId, walkthrough } from './contributions.ts';

const welcomedKey = 'aside.welcomed';
const openOnInstall = 'workbench.welcomePage.walkthroughs.openOnInstall';
/** Unlike the former, a user's value of it also applies to remote machines. */
const startupEditor = 'workbench.startupEditor';

/** True if Aside was used before: it has tokens of today, a chat or the demo to show. */
export function wasUsed({ globalState, workspaceState }: vscode.ExtensionContext): boolean {
  const keys = [...globalState.keys(), ...workspaceState.keys()];
  return keys.some((key) => key !== welcomedKey);
}

/**
 * Shows the view and the walkthrough once, in the first window after the installation. VS Code opens
 * walkthroughs by itself only if an extension is installed in an open window.
 */
export async function welcome(context: vscode.ExtensionContext): Promise<void> {
  const { extension, globalState } = context;
  if (wasUsed(context) || globalState.get(welcomedKey) === true) return;
  await globalState.update(welcomedKey, true);
  const settings = vscode.workspace.getConfiguration();
  if (settings.get(openOnInstall) !== true || settings.get(startupEditor) === 'none') return;
  await vscode.commands.executeCommand(`${chatViewId}.focus`);
  const id = `${extension.id}#${walkthrough.id}`;
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', id);
}
