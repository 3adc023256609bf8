import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { findPackage } from '../../support/findPackage.ts';
import { projectFolder } from '../../support/paths.ts';
import { TemporaryFolder } from '../../support/temporaryFolder.ts';
import { installExtension, VsCodeServer } from '../../support/vscode/vsCodeServer.ts';
import { launchBrowser } from '../../support/vscode/launchBrowser.ts';

/** What every journey of a run shares: the browser, and the folder with the installed extension. */
interface Shared {
  readonly browser: Browser;
  readonly folder: TemporaryFolder;
}
let shared: Promise<Shared> | undefined;

/** Keeps the window calm; nothing of it touches the extension. */
const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Dark Modern',
  'window.autoDetectColorScheme': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'git.openRepositoryInParentFolders': 'never',
  'update.mode': 'none',
};

export interface StageOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** CSS pixels; 1400 by 900 where absent. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** A VS Code of its own with the packaged extension, a copy of the workspace, and a fresh browser profile. */
export class Stage {
  readonly server: VsCodeServer;
  readonly context: BrowserContext;
  readonly #folder: TemporaryFolder;

  private constructor(server: VsCodeServer, context: BrowserContext, folder: TemporaryFolder) {
    this.server = server;
    this.context = context;
    this.#folder = folder;
  }

  static async set({ settings, size }: StageOptions = {}): Promise<Stage> {
    shared ??= share();
    const { browser, folder: home } = await shared;
    const folder = await TemporaryFolder.create();
    const workspace = join(projectFolder, 'test/fixtures/workspace');
    await cp(workspace, join(folder.path, 'weather'), { recursive: true });
    const server = await VsCodeServer.start({
      kind: 'code-server',
      userDataFolder: join(folder.path, 'user'),
      extensionsFolder: join(home.path, 'extensions'),
      settings: { ...quietSettings, ...settings },
    });
    const context = await browser.newContext({
      viewport: size ?? { width: 1400, height: 900 },
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(30_000);
    return new Stage(server, context, folder);
  }

  /** The folder that the window shows. */
  get workspace(): string {
    return join(this.#folder.path, 'weather');
  }

  async strike(): Promise<void> {
    await this.context.close();
    await this.server.stop();
    await this.#folder.dispose();
  }

  /** Ends what the journeys shared. */
  static async close(): Promise<void> {
    const { browser, folder } = (await shared) ?? {};
    await browser?.close();
    await folder?.dispose();
  }
}

async function share(): Promise<Shared> {
  const folder = await TemporaryFolder.create();
  await installExtension(await findPackage(), join(folder.path, 'extensions'));
  return { browser: await launchBrowser(), folder };
}
