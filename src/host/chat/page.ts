import * as vscode from 'vscode';
import firstStyle from '../../../media/webview/first.css';
import type { Port } from '../../protocol/channel.ts';

/** What the page in a view says. */
export type Listen = Port<unknown, unknown>['listen'];

/**
 * Loads the page into a view. It may speak before anybody listens: whoever listens first hears that
 * as well.
 */
export function openPage(webview: vscode.Webview, extensionUri: vscode.Uri): Listen {
  const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
  const early: unknown[] = [];
  const collecting = webview.onDidReceiveMessage((message) => early.push(message));
  webview.options = {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [folder],
  };
  webview.html = page(webview, folder, nonce());
  return (listener) => {
    collecting.dispose();
    for (const message of early.splice(0)) listener(message);
    return webview.onDidReceiveMessage(listener);
  };
}

/**
 * The page of a view. Nothing is loaded but our own scripts, styles and icon font; nothing runs but
 * the script with this load's nonce and what it imports; no text becomes markup. One can type before
 * anything else has come, so the look of the field is in the page: the view takes the text along.
 */
function page(webview: vscode.Webview, folder: vscode.Uri, nonce: string): string {
  const address = (file: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "require-trusted-types-for 'script'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${plain(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="${nonce}">${firstStyle}</style>
<script type="application/json" id="l10n">${words()}</script>
<title>Aside</title>
</head>
<body>
<div id="root">
<div class="panel"><div class="transcript"></div><div class="composer"><div class="composer-box">
<textarea class="message-field" rows="1" placeholder="${fieldWords()}"></textarea>
<div class="composer-bar"></div></div><div class="composer-foot"></div></div></div>
</div>
<link rel="stylesheet" href="${address('main.css')}">
<script type="module" nonce="${nonce}" src="${address('main.js')}"></script>
</body>
</html>`;
}

/** The translated words, as JSON that cannot end its element early. */
function words(): string {
  return JSON.stringify(vscode.l10n.bundle ?? {}).replaceAll('<', '\\u003c');
}

/** The same words as in the composer that takes the place of the field. */
function fieldWords(): string {
  const words = vscode.l10n.t('Ask about your code');
  return words.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function plain(text: string): string {
  return text.replace(/[^\w-]/g, '');
}

function nonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, '');
}
