import * as vscode from 'vscode';
import firstStyle from '../../../media/webview/first.css';
import { background } from '../../core/support/background.ts';
import type { Port } from '../../protocol/channel.ts';

type PageName = 'main' | 'usage' | 'request';

/** The name of a script and of its styles. Pages in tabs have the same, since most of it is. */
type ScriptName = 'main' | 'tabs';

/** The host's end of the channel to a page. */
export type PagePort = Port<unknown, unknown>;

/** Loads a page into a view. Messages are buffered until the first listener is added. */
export type OpenPage = (
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  name?: PageName,
) => PagePort;

/** Reads a file of the extension. */
export type ReadFile = (file: vscode.Uri) => string;

/**
 * Opens pages, before other modules are loaded.
 *
 * @param read undefined in a browser, where pages load their files themselves
 */
export const pageOpener =
  (read?: ReadFile): OpenPage =>
  (webview, extensionUri, name = 'main') => {
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    const buffered: unknown[] = [];
    const buffering = webview.onDidReceiveMessage((message) => buffered.push(message));
    webview.options = {
      enableScripts: true,
      enableForms: false,
      enableCommandUris: false,
      localResourceRoots: [folder],
    };
    const script: ScriptName = name === 'main' ? 'main' : 'tabs';
    const fileOf = (kind: string) => vscode.Uri.joinPath(folder, `${script}.${kind}`);
    const files = read && { style: read(fileOf('css')), code: read(fileOf('js')) };
    webview.html = html(name, script, files, webview.cspSource, webview.asWebviewUri(folder));
    return {
      post: (message) => background(webview.postMessage(message)),
      listen(listener) {
        buffering.dispose();
        for (const message of buffered.splice(0)) listener(message);
        return webview.onDidReceiveMessage(listener);
      },
    };
  };

/**
 * The HTML of a view. It loads only the extension's own scripts, styles and icon font, and runs
 * only the script with the nonce of this load and its imports; text is never inserted as HTML.
 *
 * A webview waits long for each file: with Node, the HTML has the style sheet and the script in it.
 * In a browser, at least the style of a chat's field is: it accepts input before the script has
 * loaded, which adopts the text.
 *
 * @param files its style sheet and its script, if they are written into it
 * @param source the source of resources in content security policies
 * @param folder the address of the folder with its files
 */
function html(
  name: PageName,
  script: ScriptName,
  files: { readonly style: string; readonly code: string } | undefined,
  source: string,
  folder: vscode.Uri,
): string {
  const random = crypto.getRandomValues(new Uint8Array(24));
  const nonce = btoa(String.fromCharCode(...random)).replace(/[+/=]/g, '');
  const policy = [
    "default-src 'none'",
    `style-src ${source} 'nonce-${nonce}'`,
    `font-src ${source}`,
    `script-src 'nonce-${nonce}'`,
    `base-uri ${source}`,
    "require-trusted-types-for 'script'",
  ].join('; ');
  const link = files === undefined ? `<link rel="stylesheet" href="${script}.css">\n` : '';
  const address = files === undefined ? ` src="${script}.js"` : '';
  // Named for debuggers and stack traces.
  const code = files && `${files.code}\n//# sourceURL=${folder.toString()}/${script}.js`;
  // JSON that cannot close its script element; nothing in English.
  const { bundle } = vscode.l10n;
  const embeddedTranslations =
    bundle === undefined ? '' : JSON.stringify(bundle).replaceAll('<', '\\u003c');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language.replace(/[^\w-]/g, '')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<base href="${folder.toString()}/">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="${nonce}">${files?.style ?? firstStyle}</style>
<script type="application/json" id="l10n">${embeddedTranslations}</script>
<title>Aside</title>
</head>
<body>
<div id="root" data-page="${name}">${name === 'main' ? initialPanel() : ''}</div>
${link}<script type="module" nonce="${nonce}"${address}>${code ?? ''}</script>
</body>
</html>`;
}

function initialPanel(): string {
  return `
<div class="panel"><div class="transcript"></div><div class="composer"><div class="composer-box">
<textarea class="message-field" rows="1" placeholder="${vscode.l10n.t('Ask about your code').replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></textarea>
<div class="composer-bar"></div></div><div class="composer-foot"></div></div></div>
`;
}
