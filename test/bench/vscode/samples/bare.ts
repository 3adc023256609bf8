import * as vscode from 'vscode';

/** A view with nothing but a place to type. */
export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('bench.bare', {
      resolveWebviewView({ webview }) {
        webview.html = '<!DOCTYPE html><html><body><textarea></textarea></body></html>';
      },
    }),
  );
}
