/** The script that runs when a window opens, if there is Node. */
import type * as vscode from 'vscode';
import { activateAside } from './main/activation.ts';

export { deactivate } from './main/activation.ts';

/** Activates Aside with two more scripts: the one for a browser, and the one that needs Node. */
export function activate(context: vscode.ExtensionContext): void {
  activateAside(context, async () => {
    const { loadMain } = await import('./browser.ts');
    const { thisNode } = await import('./main/node/thisNode.ts');
    return { create: await loadMain(), node: thisNode };
  });
}
