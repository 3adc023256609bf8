import * as vscode from 'vscode';
import { orUndefined } from '../../core/support/background.ts';
import { parseJson } from '../../core/support/json.ts';

/** Reads the demo's texts in the display language; undefined if there are none. */
export async function readDemoTexts(extensionUri: vscode.Uri): Promise<unknown> {
  if (vscode.l10n.bundle === undefined) return undefined;
  const file = vscode.Uri.joinPath(extensionUri, 'l10n', `demo.${vscode.env.language}.json`);
  const bytes = await orUndefined(vscode.workspace.fs.readFile(file));
  return bytes === undefined ? undefined : parseJson(new TextDecoder().decode(bytes));
}
