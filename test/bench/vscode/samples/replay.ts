import * as vscode from 'vscode';
import * as z from 'zod/mini';

/** Requests to send, written to the workspace by the benchmark. */
const replayFile = z.object({ url: z.string(), key: z.string(), bodies: z.array(z.string()) });

/** Sends requests sequentially with VS Code's `fetch`, each after the previous response was read. */
export function activate({ subscriptions }: vscode.ExtensionContext): void {
  subscriptions.push(vscode.commands.registerCommand('bench.replay', replay));
}

async function replay(): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) return;
  const file = vscode.Uri.joinPath(folder.uri, 'replay.json');
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  const { url, key, bodies } = replayFile.parse(JSON.parse(text));
  for (const body of bodies) {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
    const response = await fetch(url, { method: 'POST', headers, body });
    const reader = response.body?.getReader();
    while (reader !== undefined && !(await reader.read()).done);
  }
}
