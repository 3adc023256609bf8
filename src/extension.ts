/** The script that runs when a window opens, if there is Node. */
import { readFileSync } from 'node:fs';
import type * as vscode from 'vscode';
import { activateAside } from './host/activation.ts';

export { deactivate } from './host/activation.ts';

/** Activates Aside with two more scripts: the one for a browser, and the one that needs Node. */
export function activate(context: vscode.ExtensionContext): void {
  const loadScripts = async () => {
    const { loadMain } = await import('./browser.ts');
    const { thisNode } = await import('./host/node/platform.ts');
    return { create: await loadMain(), node: thisNode };
  };
  activateAside(context, loadScripts, ({ fsPath }) => readFileSync(fsPath, 'utf8'));
}
