import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import * as z from 'zod/mini';
import { findPackage } from '../../support/findPackage.ts';
import { TemporaryFolder } from '../../support/temporaryFolder.ts';
import { fetchVsCode } from '../../support/vscode/fetchVsCode.ts';
import { launchBrowser } from '../../support/vscode/launchBrowser.ts';
import { installExtension, VsCodeServer } from '../../support/vscode/vsCodeServer.ts';
import type { Table } from '../table.ts';
import { installSample, type Sample } from './sample.ts';
import { limitProcess, slowDown } from './slowProcessor.ts';

export interface StandOptions {
  readonly samples: readonly Sample[];
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Changes the installed extensions or the profile before VS Code starts. */
  readonly prepare?: (folders: StandFolders) => Promise<void>;
}

export interface StandFolders {
  readonly extensions: string;
  readonly user: string;
  /** Parent folder of the workspaces. */
  readonly workspace: string;
}

const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'git.enabled': false,
  'update.mode': 'none',
};

/** Milliseconds. A window opens ten times slower. */
const slowPatience = 300_000;

/** A VS Code server with the packaged extension and samples, and a browser for its windows. */
export interface Stand {
  readonly newPage: () => Promise<Page>;
  /**
   * Address of a new window, each time with another folder.
   * @param fill adds files to the folder, which is otherwise empty
   */
  readonly newWindow: (fill?: (folder: string) => Promise<void>) => Promise<string>;
}

/** Sets up VS Code for the work, and disposes it afterwards. */
export async function withStand<T>(
  table: Table,
  options: StandOptions,
  work: (stand: Stand) => Promise<T>,
): Promise<T> {
  const folder = await TemporaryFolder.create();
  const part = (name: string): string => join(folder.path, name);
  const folders = {
    extensions: part('extensions'),
    user: part('user'),
    workspace: part('workspace'),
  };
  try {
    await install(options, folders);
    table.names(await vsCodeVersion());
    return await open(table, options, folders, work);
  } finally {
    await folder.dispose();
  }
}

async function install({ samples, prepare }: StandOptions, folders: StandFolders): Promise<void> {
  const { extensions, user, workspace } = folders;
  for (const path of [extensions, user, workspace]) await mkdir(path, { recursive: true });
  for (const sample of samples) await installSample(sample, folders.extensions);
  await installExtension(await findPackage(), folders.extensions);
  await prepare?.(folders);
}

const product = z.object({ version: z.string() });

async function vsCodeVersion(): Promise<string> {
  const { server } = await fetchVsCode();
  const text = await readFile(join(dirname(server), '../product.json'), 'utf8');
  return `VS Code ${product.parse(JSON.parse(text)).version}`;
}

async function open<T>(
  table: Table,
  { settings }: StandOptions,
  { extensions, user, workspace }: StandFolders,
  work: (stand: Stand) => Promise<T>,
): Promise<T> {
  const server = await VsCodeServer.start({
    kind: 'code-server',
    userDataFolder: user,
    extensionsFolder: extensions,
    settings: { ...quietSettings, ...settings },
  });
  const endLimit = table.isSlow ? limitProcess(server.processId) : undefined;
  if (table.isSlow)
    table.names(
      'a page four times slower',
      `${endLimit ? 'half of' : 'no limit of'} one core for the host`,
    );
  try {
    const browser = await launchBrowser();
    table.names(`Chromium ${browser.version()}`);
    try {
      const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
      return await work({
        async newPage() {
          const page = await context.newPage();
          if (table.isSlow) {
            page.setDefaultTimeout(slowPatience);
            await slowDown(page);
          }
          return page;
        },
        async newWindow(fill) {
          const folder = await mkdtemp(join(workspace, 'w'));
          await fill?.(folder);
          return server.windowAddress(folder);
        },
      });
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
    await endLimit?.();
  }
}
