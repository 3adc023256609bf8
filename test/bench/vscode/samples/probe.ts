import * as vscode from 'vscode';
import { quiet } from './quiet.ts';

const ours = 'aside-chat.aside';
const empty = 'bench.empty';

/** Measures the activation of extensions in the extension host, and shows it in the status bar. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const turn = context.globalState.get('turn', 0);
  await context.globalState.update('turn', turn + 1);
  await quiet();
  // Does once what only the first activation of a host has to do.
  await costOf('bench.warmup');
  const costs: Record<string, number> = {};
  // Every second round has the reverse order.
  for (const id of turn % 2 === 0 ? [ours, empty] : [empty, ours]) {
    await quiet();
    costs[id] = await costOf(id);
  }
  const item = vscode.window.createStatusBarItem('result');
  item.text = JSON.stringify({ ours: costs[ours], theirs: costs[empty] });
  item.show();
  context.subscriptions.push(item);
}

async function costOf(id: string): Promise<number> {
  const extension = vscode.extensions.getExtension(id);
  if (extension === undefined) throw new Error(`${id} is not installed.`);
  if (extension.isActive) throw new Error(`${id} is active already.`);
  const start = performance.now();
  await extension.activate();
  return performance.now() - start;
}
