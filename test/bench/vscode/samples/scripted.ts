import * as vscode from 'vscode';

/** Bytes, about those of both scripts of Aside's panel. */
const length = 250_000;

/** A view with only a script that adds a text field. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const script = vscode.Uri.joinPath(context.globalStorageUri, 'field.js');
  const text = `document.body.append(document.createElement('textarea')); // ${'-'.repeat(length)}`;
  await vscode.workspace.fs.writeFile(script, new TextEncoder().encode(text));
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('bench.scripted', {
      resolveWebviewView({ webview }) {
        webview.options = { enableScripts: true, localResourceRoots: [context.globalStorageUri] };
        const address = webview.asWebviewUri(script).toString();
        webview.html = `<!DOCTYPE html><html><body><script type="module" src="${address}"></script></body></html>`;
      },
    }),
  );
}
