import type { Page } from 'playwright-core';
import type { ServiceOptions } from '../../../src/local/service.ts';
import { startHttpService, type HttpService } from '../../support/httpService.ts';
import { hostName, hosts } from '../../support/vscode/hosts.ts';
import { themes } from '../../support/vscode/themes.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { chooseMode } from './chooseMode.ts';
import { Panel } from './panel.ts';
import { Stage, theme, type StageOptions } from './stage.ts';

/** Id of Aside's status bar entry in the page. */
export const usageItem = 'aside-chat.aside.aside.usage';

/** Number of windows that this process opened, and the time for it. */
export const opening = { windows: 0, seconds: 0 };

/** URL of the script that a browser loads if it runs the extension. */
const workerScript = /aside-chat\.aside[^]*browser\.cjs/;

export interface WindowOptions extends StageOptions {
  readonly service?: ServiceOptions;
}

/** A window of VS Code with the installed extension, and a service on this machine. */
export class JourneyWindow {
  readonly stage: Stage;
  readonly service: HttpService;
  readonly workbench: Workbench;
  readonly panel: Panel;

  private constructor(stage: Stage, service: HttpService, page: Page) {
    this.stage = stage;
    this.service = service;
    this.workbench = new Workbench(page, usageItem);
    this.panel = new Panel(this.workbench);
  }

  /** Creates a window with a fresh profile, without loading it. */
  static async create(options: WindowOptions): Promise<JourneyWindow> {
    const start = performance.now();
    const service = await startHttpService(pacedOptions(options));
    try {
      const stage = await Stage.create(options);
      return new JourneyWindow(stage, service, await stage.context.newPage());
    } catch (error) {
      await service.close();
      throw error;
    } finally {
      opening.seconds += (performance.now() - start) / 1000;
    }
  }

  async load(): Promise<void> {
    const start = performance.now();
    const { page } = this.workbench;
    const loaded = hosts[hostName].inWorker ? page.waitForRequest(workerScript) : undefined;
    await this.workbench.open(this.stage.address);
    // Otherwise the extension could run on the server, and nobody would notice.
    await loaded;
    opening.windows += 1;
    opening.seconds += (performance.now() - start) / 1000;
  }

  /**
   * Resets the window after a journey: an empty chat, no editors, the original files and a fresh
   * service.
   */
  async tidy(options: WindowOptions): Promise<void> {
    const { page } = this.workbench;
    await page.setViewportSize(Stage.sizeOf(options));
    this.service.restart(pacedOptions(options));
    const inTheme = page.locator(`.monaco-workbench.${themes[theme].window}`);
    if (!(await inTheme.isVisible())) await this.workbench.setTheme(theme);
    await page.keyboard.press(Stage.tidyingKey);
    await page.locator('.tab').first().waitFor({ state: 'detached' });
    await this.stage.restoreWorkspace(options);
    await this.panel.messages.first().waitFor({ state: 'detached' });
    await this.panel.frame.locator('.message-field:focus').waitFor();
    // New chats start in the mode that was selected last.
    if (await this.panel.button(/^Mode: (?:Chat|Ask)$/).isVisible())
      await chooseMode(this, 'Agent');
    await this.panel.input.fill('');
    // The draft and its attachments outlive their chat.
    const attached = this.panel.button(/^Remove /);
    for (let count = await attached.count(); count > 0; count -= 1) {
      await attached.last().click();
      await attached.nth(count - 1).waitFor({ state: 'detached' });
    }
  }

  async close(): Promise<void> {
    await this.stage.dispose().finally(() => this.service.close());
  }
}

function pacedOptions({ service }: WindowOptions): ServiceOptions {
  return { pace: 2, ...service };
}

/** Windows that were left open, by their options, the most recent one last. */
const reusable = new Map<string, JourneyWindow>();
const maxReusable = 2;

/** Journeys with equal keys can share a window. */
function keyOf(options: WindowOptions): string {
  const { settings = {}, workspaceSettings = {}, foreignTools, restricted, language } = options;
  return JSON.stringify([settings, workspaceSettings, foreignTools, restricted, language]);
}

/** Takes the window that an earlier journey with these options left open. */
export function takeWindow(options: WindowOptions): JourneyWindow | undefined {
  const window = reusable.get(keyOf(options));
  reusable.delete(keyOf(options));
  return window;
}

/** Leaves a window open for the next journey with the same options. */
export async function leaveWindow(options: WindowOptions, window: JourneyWindow): Promise<void> {
  reusable.set(keyOf(options), window);
  if (reusable.size > maxReusable) await closeWindows(reusable.size - maxReusable);
}

/** Closes this many of the windows that were left open, the oldest first. */
export async function closeWindows(count = reusable.size): Promise<void> {
  for (const [key, window] of [...reusable].slice(0, count)) {
    reusable.delete(key);
    await window.close();
  }
}
