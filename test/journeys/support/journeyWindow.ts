import type { Page } from 'playwright-core';
import type { ServiceOptions } from '../../../src/local/service.ts';
import { startHttpService, type HttpService } from '../../support/httpService.ts';
import { hostName, hosts } from '../../support/vscode/hosts.ts';
import { themes } from '../../support/vscode/themes.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { chooseMode } from './chooseMode.ts';
import { Panel } from './panel.ts';
import { Stage, theme, type StageOptions } from './stage.ts';

/** The id of Aside's status bar entry in the page. */
export const usageItem = 'aside-chat.aside.aside.usage';

/** How many windows this process opened, and what that took. */
export const opening = { windows: 0, seconds: 0 };

/** What the browser loads where it runs the extension. */
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

  /** With a fresh profile, not loaded yet. */
  static async create(options: WindowOptions): Promise<JourneyWindow> {
    const start = performance.now();
    const service = await startHttpService(pacedOptions(options));
    try {
      const stage = await Stage.set(options);
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
    // It could run beside the server as well, and nobody would see it.
    await loaded;
    opening.windows += 1;
    opening.seconds += (performance.now() - start) / 1000;
  }

  /** After another journey: an empty chat, no editors, the first files, and a service without a past. */
  async tidy(options: WindowOptions): Promise<void> {
    const { page } = this.workbench;
    await page.setViewportSize(Stage.sizeOf(options));
    this.service.restart(pacedOptions(options));
    const inTheme = page.locator(`.monaco-workbench.${themes[theme].window}`);
    if (!(await inTheme.isVisible())) await this.workbench.setTheme(theme);
    await page.keyboard.press(Stage.tidyingKey);
    await page.locator('.tab').first().waitFor({ state: 'detached' });
    await this.stage.restoreWorkspace(options);
    await this.panel.questions.first().waitFor({ state: 'detached' });
    await this.panel.frame.locator('.message-field:focus').waitFor();
    // A new chat begins with the mode that was chosen last.
    if (await this.panel.button(/^Mode: (?:Chat|Ask)$/).isVisible())
      await chooseMode(this, 'Agent');
    await this.panel.input.fill('');
    // A draft that was never sent stays, with what is attached to it.
    const attached = this.panel.button(/^Remove /);
    for (let count = await attached.count(); count > 0; count -= 1) {
      await attached.last().click();
      await attached.nth(count - 1).waitFor({ state: 'detached' });
    }
  }

  async close(): Promise<void> {
    await this.stage.strike().finally(() => this.service.close());
  }
}

function pacedOptions({ service }: WindowOptions): ServiceOptions {
  return { pace: 2, ...service };
}

/** Windows that journeys left open for others with the same options, the last one at the end. */
const reusable = new Map<string, JourneyWindow>();
const maxReusable = 2;

/** The same for journeys that can have the same window. */
function keyOf(options: WindowOptions): string {
  const { settings = {}, workspaceSettings = {}, foreignTools, restricted, language } = options;
  return JSON.stringify([settings, workspaceSettings, foreignTools, restricted, language]);
}

/** A window that a journey with these options left open, as its own. */
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

/** Closes so many of the windows that were left open, the oldest first. */
export async function closeWindows(count = reusable.size): Promise<void> {
  for (const [key, window] of [...reusable].slice(0, count)) {
    reusable.delete(key);
    await window.close();
  }
}
