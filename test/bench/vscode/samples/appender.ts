import * as vscode from 'vscode';
import { openStream } from './openStream.ts';

/** The minimum for showing a stream: a view whose script appends the text it receives. */
export function activate(context: vscode.ExtensionContext): void {
  let view: vscode.Webview | undefined;
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('bench.appender', {
      resolveWebviewView({ webview }) {
        webview.options = { enableScripts: true };
        webview.html = `<!DOCTYPE html><html><body><p id="text"></p><script>${script}</script></body></html>`;
        view = webview;
      },
    }),
    vscode.commands.registerCommand('bench.append', async () => {
      const baseUrl = vscode.workspace.getConfiguration('aside').get('baseUrl', '');
      for await (const text of openStream(baseUrl)) void view?.postMessage(text);
    }),
  );
}

const script = `
const text = document.getElementById('text');
addEventListener('message', ({ data }) => { if (typeof data === 'string') text.append(data); });
`;
