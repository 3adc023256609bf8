import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadsFolder } from '../paths.ts';
import { npmInstall } from '../runNpm.ts';

const version = '4.139.1';
const home = join(downloadsFolder, `code-server-${version}`);

export interface VsCodeFiles {
  /** Starts code-server: keeps secrets across a reload. */
  readonly codeServer: string;
  /** Starts the bare VS Code server: runs tests inside the extension host, installs a VSIX. */
  readonly server: string;
}

/** VS Code from npm: downloaded once (about 600 MB), then used from the cache. */
export async function fetchVsCode(): Promise<VsCodeFiles> {
  const server = join(home, 'node_modules/code-server');
  // The folder is renamed only when it is complete, so its existence is enough.
  if (!existsSync(home)) await fetchInto(home);
  return {
    codeServer: join(server, 'out/node/entry.js'),
    server: join(server, 'lib/vscode/out/server-main.js'),
  };
}

async function fetchInto(target: string): Promise<void> {
  console.log(`Fetching VS Code (code-server ${version}) with npm; this happens once.`);
  await mkdir(downloadsFolder, { recursive: true });
  const unfinished = await mkdtemp(`${target}.unfinished-`);
  try {
    await npmInstall(unfinished, `code-server@${version}`, '--omit=dev');
    // The two installs that code-server's own install script would run.
    const inner = join(unfinished, 'node_modules/code-server/lib/vscode');
    await npmInstall(inner, '--omit=dev');
    await npmInstall(join(inner, 'extensions'), '--omit=dev');
    await rename(unfinished, target).catch((error: unknown) => {
      // Another run was faster.
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
