import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadsFolder } from '../paths.ts';
import { npmInstall } from '../runNpm.ts';
import { installOldVsCode, oldNode } from './oldVsCode.ts';
import { versions } from './versions.ts';

/** The oldest VS Code that Aside supports, and the newest that was tested. */
export type VsCodeAge = keyof typeof versions;

/** @param version version of code-server or VS Code; the newest if absent */
export function ageOf(version: string | undefined): VsCodeAge {
  const wanted = version?.replace(/^1\./, '4.') ?? versions.newest;
  if (wanted === versions.newest) return 'newest';
  if (wanted === versions.oldest) return 'oldest';
  const known = Object.values(versions).join(' and ');
  throw new Error(`VS Code ${version} can't be started here. There are the versions ${known}.`);
}

export interface VsCodeFiles {
  /** Path of VS Code's Node. */
  readonly node: string;
  /** Script of code-server, which keeps secrets across a reload. */
  readonly codeServer: string;
  /** Script of the bare VS Code server, which runs tests inside the extension host and installs extensions. */
  readonly server: string;
}

/** Downloads VS Code from npm once (about 600 MB), then uses the cache. */
export async function fetchVsCode(age: VsCodeAge = 'newest'): Promise<VsCodeFiles> {
  const home = join(downloadsFolder, `code-server-${versions[age]}`);
  const server = join(home, 'node_modules/code-server');
  // The folder gets its name only when it is complete, so its existence is enough.
  if (!existsSync(home)) await fetchInto(home, age);
  return {
    node: age === 'oldest' ? oldNode(home) : process.execPath,
    codeServer: join(server, 'out/node/entry.js'),
    server: join(server, 'lib/vscode/out/server-main.js'),
  };
}

async function fetchInto(target: string, age: VsCodeAge): Promise<void> {
  console.log(`Fetching VS Code (code-server ${versions[age]}) with npm; this happens once.`);
  await mkdir(downloadsFolder, { recursive: true });
  const unfinished = await mkdtemp(`${target}.unfinished-`);
  try {
    await npmInstall(unfinished, `code-server@${versions[age]}`, '--omit=dev');
    // code-server's own install script would run these two installs.
    const inner = join(unfinished, 'node_modules/code-server/lib/vscode');
    if (age === 'oldest') await installOldVsCode(unfinished, inner);
    else await npmInstall(inner, '--omit=dev');
    await npmInstall(join(inner, 'extensions'), '--omit=dev');
    await rename(unfinished, target).catch((error: unknown) => {
      // Another run finished first.
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
