import * as vscode from 'vscode';
import { ManageQuickPick, type ManageToolsNeeds } from './manageQuickPick.ts';

/** `aside.manageTools`: which tools the model may use, and what is approved. */
export async function manageTools(needs: ManageToolsNeeds): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    await offerTrust();
    return;
  }
  const pick = new ManageQuickPick(needs);
  await pick.show();
}

/** In a workspace that nobody trusts no tool runs, so there is nothing to choose. */
async function offerTrust(): Promise<void> {
  const manage = vscode.l10n.t('Manage Workspace Trust');
  const message = vscode.l10n.t('Trust this workspace to use tools.');
  const answer = await vscode.window.showInformationMessage(message, manage);
  if (answer === manage) await vscode.commands.executeCommand('workbench.trust.manage');
}
