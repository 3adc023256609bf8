import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, delimiter } from 'node:path';
import { chromium } from 'playwright-core';
import { downloadsFolder, projectFolder } from '../paths.ts';
import { runCommand } from '../runCommand.ts';
import { unpackBrowser } from './unpackBrowser.ts';

/** True if a person watches the windows of the browser. */
export const isWatched = process.env['ASIDE_WATCH'] !== undefined;

/** A Chromium without windows, which takes less of the processor. */
const headlessShell = 'chromium-headless-shell';
const names = [
  ...(isWatched ? [] : [headlessShell]),
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'msedge',
];
const wellKnown = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];
const fiveMinutes = 300_000;

export interface Browser {
  readonly path: string;
  /** Environment variables that it needs. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Finds a Chromium that starts: `BROWSER_PATH`, else an installed one, else from the system's
 * package manager (as root), else a download. Rejects with instructions if none of it works.
 */
export async function findBrowser(): Promise<Browser> {
  const path = chosen() ?? installed() ?? (await installWithApt()) ?? (await download());
  if (path !== undefined) return { path, environment: process.env };
  const unpacked = await unpackBrowser(join(downloadsFolder, 'chromium'));
  if (unpacked !== undefined) return unpacked;
  throw new Error(
    'No Chromium was found and none could be installed. Install Chromium, Chrome or Edge, ' +
      'or set BROWSER_PATH to one.',
  );
}

function chosen(): string | undefined {
  const path = process.env['BROWSER_PATH'];
  if (path === undefined || path === '') return undefined;
  if (existsSync(path)) return path;
  throw new Error(`BROWSER_PATH names ${path}, which does not exist.`);
}

function installed(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const ending = process.platform === 'win32' ? '.exe' : '';
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name + ending)));
  return [...onPath, ...wellKnown, chromium.executablePath()].find(starts);
}

/** True if a browser starts. A downloaded one may lack system libraries. */
function starts(path: string): boolean {
  if (!existsSync(path)) return false;
  // On Windows, `--version` opens a window.
  if (process.platform === 'win32') return true;
  return spawnSync(path, ['--version'], { timeout: 30_000, stdio: 'ignore' }).status === 0;
}

async function installWithApt(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.log('No browser here: installing Chromium with apt-get.');
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update'], { environment, limit: fiveMinutes });
  const install = ['install', '-y', '--no-install-recommends'];
  // Only some systems have a package of the headless shell.
  for (const name of isWatched ? ['chromium'] : [headlessShell, 'chromium']) {
    await runCommand('apt-get', [...install, name], { environment, limit: fiveMinutes });
    const path = installed();
    if (path !== undefined) return path;
  }
  return undefined;
}

async function download(): Promise<string | undefined> {
  console.log('No browser here: downloading Chromium.');
  const program = join(projectFolder, 'node_modules/playwright-core/cli.js');
  await runCommand(process.execPath, [program, 'install', 'chromium'], { limit: fiveMinutes });
  return installed();
}
