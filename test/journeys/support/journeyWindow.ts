import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import type { ServiceOptions } from '../../../src/local/service.ts';
import { startHttpService, type HttpService } from '../../support/httpService.ts';
import { hostName, hosts } from '../../support/vscode/hosts.ts';
import { themes } from '../../support/vscode/themes.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { chooseMode } from './chooseMode.ts';
import { Panel } from './panel.ts';
import { Stage, theme, tidying, type StageOptions } from './stage.ts';

/** Id of Aside's status bar entry in the page. */
export const usageItem = 'aside-chat.aside.aside.usage';

/** Number of windows that this process opened, and the time for it. */
export const opening = { windows: 0, seconds: 0 };

/** URL of the script that a browser loads if it runs the extension. */
const workerScript = /aside-chat\.aside[^]*browser\.cjs/;

export interface WindowOptions extends StageOptions {
  readonly service?: ServiceOptions;
  /**
   * Requires a window without chats, usage and a connection, which no journey uses afterwards.
   * Opening one takes longer than most journeys.
   */
  readonly freshWindow?: boolean;
}

/** A window of VS Code with the installed extension, and a service on this machine. */
export class JourneyWindow {
  readonly stage: Stage;
  readonly service: HttpService;
  readonly workbench: Workbench;
  readonly panel: Panel;
  readonly #options: WindowOptions;
  #settings: NonNullable<StageOptions['settings']>;
  /** How often the settings were replaced, which the title of the window shows. */
  #changes = 0;

  private constructor(stage: Stage, service: HttpService, page: Page, options: WindowOptions) {
    this.stage = stage;
    this.service = service;
    this.workbench = new Workbench(page, usageItem);
    this.panel = new Panel(this.workbench);
    this.#options = options;
    this.#settings = options.settings ?? {};
  }

  /** Creates a window with a fresh profile, without loading it. */
  static async create(options: WindowOptions): Promise<JourneyWindow> {
    const start = performance.now();
    const service = await startHttpService(pacedOptions(options));
    try {
      const stage = await Stage.create(options);
      return new JourneyWindow(stage, service, await stage.context.newPage(), options);
    } catch (error) {
      await service.close();
      throw error;
    } finally {
      opening.seconds += (performance.now() - start) / 1000;
    }
  }

  /** Replaces the window by one that nobody used, without loading it. */
  async renewed(options: WindowOptions): Promise<JourneyWindow> {
    const start = performance.now();
    await this.leave();
    this.service.restart(pacedOptions(options));
    await this.stage.renew(options);
    const page = await this.stage.context.newPage();
    await page.setViewportSize(Stage.sizeOf(options));
    opening.seconds += (performance.now() - start) / 1000;
    return new JourneyWindow(this.stage, this.service, page, options);
  }

  /** Closes the page as a person does, so that VS Code ends its extension host. */
  async leave(): Promise<void> {
    for (const page of this.stage.context.pages()) {
      await page.goto('about:blank');
      await page.close();
    }
  }

  /** True if no journey may use the window as it is. */
  get isSpent(): boolean {
    return this.#options.freshWindow === true;
  }

  /** True if most journeys can use the window after `tidy`. */
  get isCommon(): boolean {
    return this.suits({});
  }

  /** True if a journey can use the window after `tidy`, which replaces the settings. */
  suits(options: WindowOptions): boolean {
    if (this.isSpent || options.freshWindow === true) return false;
    return keyOf(options) === keyOf(this.#options);
  }

  /** True if a journey can use another window of the same server. */
  hasServerFor(options: WindowOptions): boolean {
    return Stage.keyOf(options) === Stage.keyOf(this.#options);
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
    await page.keyboard.press(tidying.closeEditors);
    await page.locator('.tab').first().waitFor({ state: 'detached' });
    await this.#applySettings(options.settings);
    await this.stage.restoreWorkspace(options);
    await page.keyboard.press(tidying.startChat);
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

  /** Replaces the settings of the previous journey. Resolves when VS Code has read them. */
  async #applySettings(settings: StageOptions['settings'] = {}): Promise<void> {
    if (isDeepStrictEqual(settings, this.#settings)) return;
    const { page } = this.workbench;
    const title = `Settings ${++this.#changes}`;
    await this.stage.replaceSettings(Object.keys(this.#settings), {
      ...settings,
      'window.title': title,
    });
    this.#settings = settings;
    await page.keyboard.press(tidying.readSettings);
    await page.waitForFunction((name) => document.title === name, title);
    await page.locator('.tab').first().waitFor({ state: 'detached' });
  }

  async close(): Promise<void> {
    try {
      await this.stage.dispose();
    } finally {
      await this.service.close();
    }
  }
}

function pacedOptions({ service }: WindowOptions): ServiceOptions {
  return { pace: 2, ...service };
}

/** Journeys with equal keys can share a window. */
function keyOf(options: WindowOptions): string {
  const { workspaceSettings = {}, restricted = false, language = '' } = options;
  return JSON.stringify([workspaceSettings, restricted, language, Stage.keyOf(options)]);
}

/** Windows that journeys left open, the most recent one last. */
const idle: JourneyWindow[] = [];
/** One for most journeys, and some that few others can use. */
const maxIdle = 4;

/**
 * Takes the window that an earlier journey left open, or another one of the same server. `isUsed`
 * tells whether a journey was connected in it.
 */
export async function takeWindow(
  options: WindowOptions,
): Promise<{ readonly window: JourneyWindow; readonly isUsed: boolean }> {
  const used = idle.find((window) => window.suits(options));
  const unwanted = leastWanted(idle.filter((window) => window.hasServerFor(options)));
  const isReplaced = unwanted?.isSpent === true || idle.length >= maxIdle;
  const window = used ?? (isReplaced ? unwanted : undefined);
  if (window === undefined) return { window: await JourneyWindow.create(options), isUsed: false };
  idle.splice(idle.indexOf(window), 1);
  if (used !== undefined) return { window, isUsed: true };
  return { window: await window.renewed(options), isUsed: false };
}

/** Leaves a window open for the next journey. */
export async function leaveWindow(window: JourneyWindow): Promise<void> {
  if (window.isSpent) await window.leave();
  idle.push(window);
  const unwanted = idle.length > maxIdle ? leastWanted(idle) : undefined;
  if (unwanted === undefined) return;
  idle.splice(idle.indexOf(unwanted), 1);
  await unwanted.close();
}

/** A window that no journey can use as it is, else one of few journeys, else the oldest. */
function leastWanted(windows: readonly JourneyWindow[]): JourneyWindow | undefined {
  const spent = windows.find(({ isSpent }) => isSpent);
  return spent ?? windows.find(({ isCommon }) => !isCommon) ?? windows[0];
}

/** Closes the windows that were left open. */
export async function closeWindows(): Promise<void> {
  for (const window of idle.splice(0)) await window.close();
}
