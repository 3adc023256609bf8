import type * as vscode from 'vscode';
import * as z from 'zod/mini';

const manifest = z.object({ version: z.string() });

/** The version of this extension, as its `package.json` says. */
export function extensionVersion({
  extension,
}: Pick<vscode.ExtensionContext, 'extension'>): string {
  return manifest.parse(extension.packageJSON).version;
}
