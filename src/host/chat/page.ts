import * as vscode from 'vscode';

/**
 * The page of a view. Nothing is loaded but our own script, styles and icon font; nothing runs but
 * the script with this load's nonce; no text becomes markup.
 */
export function page(webview: vscode.Webview, folder: vscode.Uri, nonce: string): string {
  const address = (file: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
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
<link rel="stylesheet" href="${address('codicon.css')}">
<link rel="stylesheet" href="${address('main.css')}">
<script type="application/json" id="l10n">${words()}</script>
<title>Aside</title>
</head>
<body>
<div id="root"></div>
<script nonce="${nonce}" src="${address('main.js')}"></script>
</body>
</html>`;
}

/** The translated words, as JSON that cannot end its element early. */
function words(): string {
  return JSON.stringify(vscode.l10n.bundle ?? {}).replaceAll('<', '\\u003c');
}

function plain(text: string): string {
  return text.replace(/[^\w-]/g, '');
}
