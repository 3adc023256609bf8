import * as vscode from 'vscode';

/** Bytes, about those of the script that draws Aside's panel. */
const length = 250_000;

/** A view with only a text field, and one with only a script that adds it. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const script = vscode.Uri.joinPath(context.globalStorageUri, 'field.js');
  const text = `document.body.append(document.createElement('textarea')); // ${'-'.repeat(length)}`;
  await vscode.workspace.fs.writeFile(script, new TextEncoder().encode(text));
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('bench.bare', {
      resolveWebviewView({ webview }) {
        webview.html = page('<textarea></textarea>');
      },
    }),
    vscode.window.registerWebviewViewProvider('bench.script', {
      resolveWebviewView({ webview }) {
        webview.options = { enableScripts: true, localResourceRoots: [context.globalStorageUri] };
        webview.html = page(
          `<script type="module" src="${webview.asWebviewUri(script).toString()}"></script>`,
        );
      },
    }),
  );
}

function page(body: string): string {
  return `<!DOCTYPE html><html><body>${body}</body></html>`;
}
