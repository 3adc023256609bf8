import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import * as z from 'zod/mini';
import { findPackage } from '../../support/findPackage.ts';
import { projectFolder } from '../../support/paths.ts';
import { TemporaryFolder } from '../../support/temporaryFolder.ts';
import { hostName, hosts } from '../../support/vscode/hosts.ts';
import { launchBrowser } from '../../support/vscode/launchBrowser.ts';
import { lightSettings } from '../../support/vscode/lightSettings.ts';
import { themes } from '../../support/vscode/themes.ts';
import { serveFiles, type ServedFiles } from '../../support/vscode/servedFiles.ts';
import {
  installExtension,
  VsCodeServer,
  writeUserFile,
} from '../../support/vscode/vsCodeServer.ts';
import { setDisplayLanguage } from './displayLanguage.ts';
import { restoreFolder } from './restoreFolder.ts';

const host = hosts[hostName];

/** Moves extensions from the server to the web worker in the browser. */
const workerSettings = {
  'remote.extensionKind': {
    'aside-chat.aside': ['web'],
    'aside-test.virtual-files': ['web'],
    'aside-test.foreign-tool': ['web'],
  },
};

/** Shared by all journeys of a run: the browser and the folder with the installed extension. */
interface Shared {
  readonly browser: Browser;
  readonly folder: TemporaryFolder;
}
let shared: Promise<Shared> | undefined;

/** Theme of all windows, unless a journey changes it. */
export const theme = process.env['ASIDE_THEME'] === 'light' ? 'light' : 'dark';

/** Turns off distractions of the window. Only less motion affects the extension, too. */
const quietSettings = {
  ...lightSettings,
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': `${host.age === 'oldest' ? 'Default ' : ''}${themes[theme].name}`,
  'window.autoDetectColorScheme': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'update.mode': 'none',
  // Opens Restricted Mode without the trust dialog.
  'security.workspace.trust.startupPrompt': 'never',
};

/** Commands between two journeys, by the key in Playwright's notation that runs them. */
export const tidying = {
  /** Not F10, with which Chromium opens the menu of a notebook's cell. */
  closeEditors: 'Control+Alt+Shift+F9',
  /** VS Code doesn't observe the file, but reads it after it has saved it. */
  readSettings: 'Control+Alt+Shift+F11',
  startChat: 'Control+Alt+Shift+F12',
} as const;

const keybindings = [
  binding(
    tidying.closeEditors,
    'workbench.action.files.saveFiles',
    'workbench.action.closeAllEditors',
  ),
  binding(
    tidying.readSettings,
    'workbench.action.openSettingsJson',
    'workbench.action.files.save',
    'workbench.action.closeActiveEditor',
  ),
  binding(tidying.startChat, 'notifications.clearAll', 'aside.newChat'),
];

/** Milliseconds for one action: opening a window may take 20 s while another one opens. */
const longestWait = 60_000;

export interface StageOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Content of `.vscode/settings.json`. */
  readonly workspaceSettings?: Readonly<Record<string, unknown>>;
  /** Also installs the sample extension whose tools run without approval. */
  readonly foreignTools?: boolean;
  /** Opens the workspace in Restricted Mode. */
  readonly restricted?: boolean;
  /** Files of a home folder, by relative path, which replaces the machine's home folder. */
  readonly home?: Readonly<Record<string, string>>;
  /** Display language of VS Code; English if absent. */
  readonly language?: string;
  /** CSS pixels; 1400 by 900 if absent. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** A VS Code server with the packaged extension, a copy of the workspace, and a browser profile. */
export class Stage {
  readonly server: VsCodeServer;
  readonly context: BrowserContext;
  readonly #folder: TemporaryFolder;
  #workspace: Workspace;

  private constructor(
    server: VsCodeServer,
    context: BrowserContext,
    folder: TemporaryFolder,
    workspace: Workspace,
  ) {
    this.server = server;
    this.context = context;
    this.#folder = folder;
    this.#workspace = workspace;
  }

  /** Stages with equal keys can have the same server. */
  static keyOf({ foreignTools, home }: StageOptions): string {
    return JSON.stringify({ foreignTools, home });
  }

  static async create(options: StageOptions = {}): Promise<Stage> {
    shared ??= createShared();
    const { browser, folder: home } = await shared;
    const folder = await TemporaryFolder.create();
    const userDataFolder = join(folder.path, 'user');
    await writeProfile(userDataFolder, options);
    const server = await VsCodeServer.start({
      kind: 'code-server',
      age: host.age,
      userDataFolder,
      extensionsFolder:
        options.foreignTools === true
          ? await installBesideOthers(folder.path)
          : join(home.path, 'extensions'),
      workspaceTrust: true,
      home: options.home && (await createHome(join(folder.path, 'home'), options.home)),
    });
    const context = await browser.newContext({
      viewport: Stage.sizeOf(options),
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(longestWait);
    return new Stage(server, context, folder, await createWorkspace(folder.path, options));
  }

  /**
   * Makes the profile and the workspace what they are in a new stage. Of an earlier window only the
   * scripts stay that the browser has compiled, since that is what takes long.
   */
  async renew(options: StageOptions): Promise<void> {
    await this.#clearBrowserStorage();
    await rm(join(this.userFolder, 'User'), { recursive: true, force: true });
    await writeProfile(this.userFolder, options);
    await this.#workspace.files?.close();
    // VS Code revives the terminals of a folder that it knows.
    this.#workspace = await createWorkspace(this.#folder.path, options);
  }

  async #clearBrowserStorage(): Promise<void> {
    const page = await this.context.newPage();
    const session = await this.context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', {
      origin: this.server.origin,
      storageTypes: 'cookies,local_storage,indexeddb,cache_storage',
    });
    await page.close();
  }

  /** CSS pixels. */
  static sizeOf({ size }: StageOptions): { readonly width: number; readonly height: number } {
    return size ?? { width: 1400, height: 900 };
  }

  /** Folder that the window shows. A virtual workspace serves the files of this folder. */
  get workspace(): string {
    return this.#workspace.folder;
  }

  get address(): string {
    const { files, folder } = this.#workspace;
    return this.server.windowAddress(files?.address ?? folder);
  }

  /** User data folder of VS Code. */
  get userFolder(): string {
    return join(this.#folder.path, 'user');
  }

  /** Restores the original files of the workspace. */
  restoreWorkspace({ workspaceSettings }: StageOptions): Promise<void> {
    return writeWorkspace(this.workspace, workspaceSettings);
  }

  /** Changes the settings of the person, and keeps those that the window has stored. */
  async replaceSettings(
    removed: readonly string[],
    added: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const file = join(this.userFolder, 'User/settings.json');
    const stored = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(await readFile(file, 'utf8')));
    const settings = Object.entries(stored).filter(([name]) => !removed.includes(name));
    await writeUserFile(this.userFolder, 'settings.json', {
      ...Object.fromEntries(settings),
      ...added,
    });
  }

  async dispose(): Promise<void> {
    await this.context.close();
    await this.server.stop();
    await this.#workspace.files?.close();
    await this.#folder.dispose();
  }

  /** Disposes everything that the journeys share. */
  static async close(): Promise<void> {
    // The journey that needed it has reported the error.
    const { browser, folder } = (await shared?.catch(() => undefined)) ?? {};
    await browser?.close();
    await folder?.dispose();
  }
}

function binding(key: string, ...commands: readonly string[]): object {
  const name = key.replace('Control', 'ctrl').toLowerCase();
  return { key: name, command: 'runCommands', args: { commands } };
}

/** An extensions folder with Aside and another extension. */
async function installBesideOthers(folder: string): Promise<string> {
  const extensions = join(folder, 'extensions');
  const sample = join(projectFolder, 'test/vscode/foreignTool');
  await cp(sample, join(extensions, 'aside-test.foreign-tool-1.0.0'), { recursive: true });
  await installInto(extensions);
  return extensions;
}

/** Installs Aside, and the extensions that the host of this run needs. */
async function installInto(extensions: string): Promise<void> {
  if (host.isVirtual) {
    const sample = join(projectFolder, 'test/vscode/virtualFiles');
    await cp(sample, join(extensions, 'aside-test.virtual-files-1.0.0'), { recursive: true });
  }
  await installExtension(await findPackage(), extensions, host.age);
}

async function createHome(home: string, files: NonNullable<StageOptions['home']>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(home, path, '..'), { recursive: true });
    await writeFile(join(home, path), text);
  }
  return home;
}

/** Settings, keybindings and display language of the person. */
async function writeProfile(
  userFolder: string,
  { settings, language, restricted = false }: StageOptions,
): Promise<void> {
  if (language !== undefined) await setDisplayLanguage(userFolder, language);
  const hostSettings = host.inWorker ? workerSettings : {};
  await writeUserFile(userFolder, 'settings.json', {
    ...quietSettings,
    ...hostSettings,
    'security.workspace.trust.enabled': restricted,
    ...settings,
  });
  await writeUserFile(userFolder, 'keybindings.json', keybindings);
}

interface Workspace {
  readonly folder: string;
  /** Serves the folder where the workspace is on no disk. */
  readonly files: ServedFiles | undefined;
}

async function createWorkspace(root: string, options: StageOptions): Promise<Workspace> {
  const folder = join(await mkdtemp(join(root, 'workspace-')), 'weather');
  await writeWorkspace(folder, options.workspaceSettings);
  return { folder, files: host.isVirtual ? await serveFiles(folder) : undefined };
}

/** A copy of the sample workspace, so that a journey can change it. */
async function writeWorkspace(folder: string, settings: object | undefined): Promise<void> {
  await restoreFolder(folder, join(projectFolder, 'test/fixtures/workspace'));
  if (settings === undefined) return;
  await mkdir(join(folder, '.vscode'), { recursive: true });
  await writeFile(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
}

async function createShared(): Promise<Shared> {
  const folder = await TemporaryFolder.create();
  await installInto(join(folder.path, 'extensions'));
  return { browser: await launchBrowser(), folder };
}
