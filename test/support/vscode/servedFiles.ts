import { watch, type FSWatcher } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { basename, dirname, join, normalize, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod/mini';

/** Serves a folder to the sample extension, which offers it as a file system. */
export interface ServedFiles {
  /** Address of the folder for VS Code. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

interface Call {
  /** Path on the disk. */
  readonly path: string;
  /** New path when a file is renamed. */
  readonly to: string;
  readonly query: URLSearchParams;
  readonly body: Uint8Array;
}

type Answer = Uint8Array | object | undefined;

/** Maps Node's error codes to VS Code's. */
const failure = z.object({ code: z.string() });
const codes: Readonly<Record<string, string>> = {
  ENOENT: 'FileNotFound',
  EEXIST: 'FileExists',
  ENOTDIR: 'FileNotADirectory',
  EISDIR: 'FileIsADirectory',
};

/** An error with a code, like Node's. */
class FileError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const calls: Readonly<Record<string, (call: Call) => Promise<Answer>>> = {
  async stat({ path }) {
    const status = await stat(path);
    const { ctimeMs: ctime, mtimeMs: mtime, size } = status;
    return { type: status.isDirectory() ? 2 : 1, ctime, mtime, size };
  },
  async readDirectory({ path }) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => [entry.name, entry.isDirectory() ? 2 : 1]);
  },
  readFile: ({ path }) => readFile(path),
  async createDirectory({ path }) {
    await mkdir(path);
  },
  async writeFile({ path, query, body }) {
    const isThere = await exists(path);
    if (!isThere && query.get('create') !== 'true') throw new FileError('ENOENT');
    if (isThere && query.get('overwrite') !== 'true') throw new FileError('EEXIST');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, body);
  },
  async delete({ path, query }) {
    await rm(path, { recursive: query.get('recursive') === 'true' });
  },
  async rename({ path, to, query }) {
    if (query.get('overwrite') !== 'true' && (await exists(to))) throw new FileError('EEXIST');
    await mkdir(dirname(to), { recursive: true });
    await rename(path, to);
  },
};

/** Calls for the root, which contains only the folder. */
const rootCalls: Readonly<Record<string, (folder: string) => object>> = {
  stat: () => ({ type: 2, ctime: 0, mtime: 0, size: 0 }),
  readDirectory: (folder) => [[basename(folder), 2]],
};

/** Serves the files of a folder to this machine, under the name of the folder. */
export async function serveFiles(folder: string): Promise<ServedFiles> {
  const changes = new ChangeLog(folder);
  const server = createServer(
    (request, response) => void respond(folder, changes, request, response),
  );
  // Reusing a connection while the server closes it would fail a call.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    address: `aside-files://127.0.0.1:${address.port}/${basename(folder)}`,
    async close() {
      changes.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  folder: string,
  changes: ChangeLog,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', '*');
  const query = new URL(request.url ?? '', 'http://127.0.0.1').searchParams;
  const name = query.get('call') ?? '';
  try {
    const answer =
      name === 'changes'
        ? await changes.since(Number(query.get('from')))
        : query.get('path') === '/'
          ? rootCalls[name]?.(folder)
          : await calls[name]?.({
              path: pathInside(folder, query.get('path') ?? ''),
              to: pathInside(folder, query.get('to') ?? query.get('path') ?? ''),
              query,
              body: await buffer(request),
            });
    response.end(answer instanceof Uint8Array ? answer : JSON.stringify(answer ?? {}));
  } catch (error) {
    response.statusCode = 400;
    response.end(codes[failure.safeParse(error).data?.code ?? ''] ?? 'Unavailable');
  }
}

/** Rejects paths outside the folder. */
function pathInside(folder: string, path: string): string {
  const target = join(dirname(folder), normalize(`/${path}`));
  if (target === folder || target.startsWith(`${folder}${sep}`)) return target;
  throw new FileError('ENOENT');
}

/** Changes in a folder, made by any process. */
class ChangeLog {
  readonly #parent: string;
  readonly #watcher: FSWatcher;
  readonly #paths: string[] = [];
  readonly #arrived = new EventEmitter();

  constructor(folder: string) {
    this.#parent = dirname(folder);
    this.#watcher = watch(folder, { recursive: true }, (_, name) => {
      if (name === null) return;
      this.#paths.push(join(basename(folder), name));
      this.#arrived.emit('change');
    });
  }

  /** Waits for the first change after this index. */
  async since(from: number): Promise<object> {
    while (this.#paths.length <= from) await once(this.#arrived, 'change');
    const end = this.#paths.length;
    const changes = [...new Set(this.#paths.slice(from, end))].map(async (path) => ({
      path: `/${path.replaceAll('\\', '/')}`,
      isThere: await exists(join(this.#parent, path)),
    }));
    return { end, changes: await Promise.all(changes) };
  }

  close(): void {
    this.#watcher.close();
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
