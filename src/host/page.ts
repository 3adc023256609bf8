import * as vscode from 'vscode';
import firstStyle from '../../media/webview/first.css';
import type { Port } from '../protocol/channel.ts';
import { messagesOf } from '../core/support/messageMarks.ts';

/** The marks of each script's messages, set by the build. */
declare const VIEW_MESSAGES: Readonly<Record<ScriptName, string>>;

type PageName = 'main' | 'usage' | 'request';

/** The name of a script and of its styles. Pages in tabs have the same, since most of it is. */
type ScriptName = 'main' | 'tabs';

export type Listen = Port<unknown, unknown>['listen'];

/** {@link openPage}, which runs before other modules are loaded. */
export type OpenPage = typeof openPage;

/**
 * Loads a page into a view. Messages are buffered until the first listener is added.
 */
export function openPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  name: PageName = 'main',
): Listen {
  const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
  const buffered: unknown[] = [];
  const buffering = webview.onDidReceiveMessage((message) => buffered.push(message));
  webview.options = {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [folder],
  };
  webview.html = page(webview, folder, name, nonce());
  return (listener) => {
    buffering.dispose();
    for (const message of buffered.splice(0)) listener(message);
    return webview.onDidReceiveMessage(listener);
  };
}

/**
 * The HTML of a view. It loads only the extension's own scripts, styles and icon font, and runs
 * only the script with the nonce of this load and its imports; text is never inserted as HTML. A
 * chat's field accepts input before any script has loaded, so its style is inlined; the view adopts
 * the text.
 */
function page(webview: vscode.Webview, folder: vscode.Uri, name: PageName, nonce: string): string {
  const script: ScriptName = name === 'main' ? 'main' : 'tabs';
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
<html lang="${attributeToken(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="${nonce}">${firstStyle}</style>
<script type="application/json" id="l10n">${translations(script)}</script>
<title>Aside</title>
</head>
<body>
<div id="root" data-page="${name}">${name === 'main' ? initialPanel() : ''}</div>
<link rel="stylesheet" href="${address(`${script}.css`)}">
<script type="module" nonce="${nonce}" src="${address(`${script}.js`)}"></script>
</body>
</html>`;
}

function initialPanel(): string {
  return `
<div class="panel"><div class="transcript"></div><div class="composer"><div class="composer-box">
<textarea class="message-field" rows="1" placeholder="${placeholderText()}"></textarea>
<div class="composer-bar"></div></div><div class="composer-foot"></div></div></div>
`;
}

/** The translations as JSON that cannot close its script element; nothing in English. */
function translations(script: ScriptName): string {
  const { bundle } = vscode.l10n;
  if (bundle === undefined) return '';
  // The build knows only whole names.
  const marks = { main: VIEW_MESSAGES.main, tabs: VIEW_MESSAGES.tabs };
  return JSON.stringify(messagesOf(marks[script], bundle)).replaceAll('<', '\\u003c');
}

/** The placeholder of the composer that replaces the field. */
function placeholderText(): string {
  const text = vscode.l10n.t('Ask about your code');
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function attributeToken(text: string): string {
  return text.replace(/[^\w-]/g, '');
}

function nonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, '');
}
