import { once } from 'node:events';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import type { Site } from './buildPages.ts';

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <link rel="stylesheet" href="/page.css">
  </head>
  <body class="vscode-dark"></body>
</html>`;

export interface SiteServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
}

/** Serves the files. Other paths get an empty page with their style sheet. */
export async function serveSite(site: Site): Promise<SiteServer> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const file = site.get(path);
    const type = file === undefined ? 'text/html' : types[extname(path)];
    response.writeHead(200, { 'Content-Type': type ?? 'application/octet-stream' });
    response.end(file ?? page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
