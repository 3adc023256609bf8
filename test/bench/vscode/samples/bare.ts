import * as vscode from 'vscode';

/** A view with only a text field. */
export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('bench.bare', {
      resolveWebviewView({ webview }) {
        webview.html = '<!DOCTYPE html><html><body><textarea></textarea></body></html>';
      },
    }),
  );
}
