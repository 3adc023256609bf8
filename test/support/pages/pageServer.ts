import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { projectFolder } from '../paths.ts';

const built = join(projectFolder, 'dist/webview');
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

/** A display language, with translations by English message. */
export interface PageTranslation {
  readonly language: string;
  readonly messages: Readonly<Record<string, string>>;
}

/**
 * Serves the pages built by `npm run compile`. The browser caches their scripts and compiled code
 * across pages.
 */
export class PageServer {
  readonly #server: Server;
  readonly #translations: PageTranslation[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request.url ?? '/', response);
    });
  }

  static async start(): Promise<PageServer> {
    const server = new PageServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** Adds a language and returns the address of its folder of pages. */
  add(translation: PageTranslation): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('There is no port.');
    return `http://127.0.0.1:${address.port}/${this.#translations.push(translation) - 1}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(path: string, response: ServerResponse): Promise<void> {
    const [, folder = '', kind = ''] = path.split('/');
    const translation = kind === '' ? undefined : this.#translations[Number(folder)];
    try {
      if (translation !== undefined) {
        response.setHeader('content-type', 'text/html');
        response.end(await htmlOf(kind, translation));
        return;
      }
      const file = await readFile(join(built, path));
      response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
      response.setHeader('cache-control', 'max-age=3600');
      response.end(file);
    } catch {
      response.writeHead(404).end();
    }
  }
}

/** HTML as the host writes it, with the default style sheet of VS Code's webviews. */
async function htmlOf(kind: string, { language, messages }: PageTranslation): Promise<string> {
  const read = (path: string): Promise<string> => readFile(join(projectFolder, path), 'utf8');
  const embedded = JSON.stringify(messages).replaceAll('<', '\\u003c');
  const defaults = await read('test/support/pages/webviewDefaults.css');
  const script = kind === 'main' ? 'main' : 'tabs';
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${defaults}</style>
<style>${await read('media/webview/first.css')}</style>
<script type="application/json" id="l10n">${embedded}</script>
<title>Aside</title>
</head>
<body>
<div id="root" data-page="${kind}"></div>
<link rel="stylesheet" href="/${script}.css">
<script type="module" src="/${script}.js"></script>
</body>
</html>`;
}
