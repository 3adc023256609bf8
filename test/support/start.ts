/**
 * Starts VS Code with Aside, and a service to connect to, until Ctrl+C. A parameter is the folder
 * to open; the default is a copy of the sample workspace. `--vscode 4.106.3` starts the oldest VS
 * Code.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { localModels, thinkingModels } from '../../src/local/models.ts';
import { downloadsFolder, projectFolder } from './paths.ts';
import { findPackage } from './findPackage.ts';
import { freePort } from './freePort.ts';
import { startHttpService } from './httpService.ts';
import { runNpm } from './runNpm.ts';
import { ageOf, fetchVsCode, type VsCodeAge } from './vscode/fetchVsCode.ts';
import { hasScreen } from './vscode/hasScreen.ts';
import { installExtension, VsCodeServer } from './vscode/vsCodeServer.ts';

/** Reused between starts, including settings, keys and chats. */
const home = join(downloadsFolder, 'start');

/** Keys and chats belong to the window's origin, so the same port is used if it is free. */
const ports = { window: 8137, service: 8138 };

const firstSettings = {
  // The folder's window has no welcome page.
  'workbench.startupEditor': 'welcomePageInEmptyWorkbench',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  // The sample may be inside a clone of this repository.
  'git.openRepositoryInParentFolders': 'never',
};

const { values, positionals } = parseArgs({
  options: { vscode: { type: 'string' } },
  allowPositionals: true,
});
await start(positionals[0], ageOf(values.vscode));

async function start(requested: string | undefined, age: VsCodeAge): Promise<void> {
  const folder = await folderToOpen(requested);
  console.log('Building Aside …');
  // The download takes most of the time of the first start.
  await Promise.all([
    packageAside().then(() => console.log('Getting VS Code if it is not there yet …')),
    fetchVsCode(age),
  ]);
  console.log('Installing Aside …');
  await installExtension(await findPackage(), join(homeOf(age), 'extensions'), age);
  const service = await startHttpService({
    port: await freePort(ports.service),
    pace: 12,
    models: [...localModels, ...thinkingModels],
  });
  console.log('Starting VS Code …');
  const server = await startVsCode(age);
  const address = server.windowAddress(folder);
  console.log(greeting(address, service));
  if (isDesktop()) open(address);
  // The server stops with this process, and this process with Ctrl+C.
}

/** Rejects if there is no such folder. */
async function folderToOpen(requested: string | undefined): Promise<string> {
  if (requested !== undefined) {
    const folder = resolve(requested);
    if ((await stat(folder)).isDirectory()) return folder;
    throw new Error(`${folder} is not a folder.`);
  }
  const copy = join(home, 'weather');
  if (!existsSync(copy))
    await cp(join(projectFolder, 'test/fixtures/workspace'), copy, { recursive: true });
  return copy;
}

async function packageAside(): Promise<void> {
  let output = '';
  const onOutput = (text: string): void => void (output += text);
  if ((await runNpm(['run', 'package'], { quiet: true, onOutput })) === 0) return;
  throw new Error(`Aside could not be packaged:\n${output}`);
}

async function startVsCode(age: VsCodeAge): Promise<VsCodeServer> {
  const userDataFolder = join(homeOf(age), 'user');
  const isFirst = !existsSync(join(userDataFolder, 'User/settings.json'));
  return VsCodeServer.start({
    kind: 'code-server',
    age,
    userDataFolder,
    extensionsFolder: join(homeOf(age), 'extensions'),
    port: await freePort(ports.window),
    ...(isFirst ? { settings: firstSettings } : {}),
  });
}

/** An old VS Code can't read the data of a newer one. */
function homeOf(age: VsCodeAge): string {
  return age === 'newest' ? home : join(home, age);
}

function greeting(address: string, service: { baseUrl: string; key: string }): string {
  return `
Aside runs in VS Code at

  ${address}

Whoever has this address gets a terminal on this machine; without its token, the server refuses.

Choose "Try the Demo" there, or run the command "Aside: Connect to a Service…" with

  base URL  ${service.baseUrl}
  key       ${service.key}

Ctrl+C stops both.
`;
}

function isDesktop(): boolean {
  const { CI, SSH_CONNECTION } = process.env;
  return hasScreen() && CI === undefined && SSH_CONNECTION === undefined;
}

/** Opens the browser. If that fails, the printed address is enough. */
function open(address: string): void {
  const [command, ...parameters] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', address]
        : ['xdg-open', address];
  const child = spawn(command, parameters, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined).unref();
}
