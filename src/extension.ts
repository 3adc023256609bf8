/** The script that runs when a window opens, if there is Node. */
import { readFileSync } from 'node:fs';
import type * as vscode from 'vscode';
import { activateAside } from './host/activation.ts';

export { deactivate } from './host/activation.ts';

/** Activates Aside with two more scripts: the one for a browser, and the one that needs Node. */
export function activate(context: vscode.ExtensionContext): void {
  const loadAll = async () => {
    const { loadWindow } = await import('./browser.ts');
    const { thisNode } = await import('./host/node/platform.ts');
    return { create: await loadWindow(), node: thisNode };
  };
  activateAside(context, loadAll, ({ fsPath }) => readFileSync(fsPath, 'utf8'));
}
