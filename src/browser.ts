/** The script for a browser, with everything that needs no Node. It is also loaded if there is Node. */
import type * as vscode from 'vscode';
import { activateAside } from './host/activation.ts';
import type { createAside } from './host/main.ts';

export { deactivate } from './host/activation.ts';

/** A module behind an `import()` is in this script too, and is executed when it is first imported. */
export async function loadMain(): Promise<typeof createAside> {
  return (await import('./host/main.ts')).createAside;
}

export function activate(context: vscode.ExtensionContext): void {
  activateAside(context, async () => ({ create: await loadMain(), node: undefined }));
}
