import type { Browser, Page } from 'playwright-core';
import { minPressDelay } from '../../../src/webview/parts/deliberatePress.ts';
import { launchBrowser } from '../vscode/launchBrowser.ts';
import type * as Seen from './seen/index.ts';
import type { PagePerson, PageState } from './pageState.ts';
import { pageScripts } from './pageScripts.ts';
import { PageServer, type PageTranslation } from './pageServer.ts';
import { lookOf, type PageTheme } from './pageTheme.ts';

/** Fixed time of all pages, so that they look the same each time. */
const pageTime = Date.UTC(2026, 0, 31, 12);

/** CSS pixels. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** A browser that shows the pages built by `npm run compile`, without VS Code. */
export class PageBrowser implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #server: PageServer;
  readonly #scripts: string;

  private constructor(browser: Browser, server: PageServer, scripts: string) {
    this.#browser = browser;
    this.#server = server;
    this.#scripts = scripts;
  }

  static async launch(): Promise<PageBrowser> {
    const scripts = await pageScripts();
    return new PageBrowser(await launchBrowser(), await PageServer.start(), scripts);
  }

  /** Opens a separate window, the size of a side bar and in English by default. */
  async open(
    size: PageSize = { width: 360, height: 800 },
    translation: PageTranslation = { language: 'en', messages: {} },
  ): Promise<BuiltPage> {
    const context = await this.#browser.newContext({
      viewport: { ...size },
      locale: 'en-US',
      timezoneId: 'UTC',
    });
    context.setDefaultTimeout(10_000);
    await context.addInitScript({ content: this.#scripts });
    const page = await context.newPage();
    await page.clock.setFixedTime(pageTime);
    return new BuiltPage(page, this.#server.add(translation), translation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }
}

/** A page of the view in a browser. The test plays host and person. */
export class BuiltPage implements AsyncDisposable, PagePerson {
  readonly page: Page;
  readonly translation: PageTranslation;
  readonly #address: string;
  #theme: PageTheme | undefined;

  /** @param address address of the folder with the pages */
  constructor(page: Page, address: string, translation: PageTranslation) {
    this.page = page;
    this.#address = address;
    this.translation = translation;
  }

  /** Loads the page in a state. Resolves once it is drawn completely. */
  async show({ kind, messages, act, drawn }: PageState): Promise<void> {
    await this.page.goto(`${this.#address}/${kind}`);
    await this.page.waitForFunction(() => Reflect.has(globalThis, 'isReady'));
    if (this.#theme !== undefined) await this.wear(this.#theme);
    await this.post(...messages);
    if (kind === 'main') await this.page.locator('.panel [aria-autocomplete]').waitFor();
    await act?.(this);
    await this.page.mouse.move(0, 0);
    for (const selector of drawn) await this.page.locator(selector).first().waitFor();
    await this.settle();
  }

  /** Applies a theme, which stays for later states. */
  async wear(theme: PageTheme): Promise<void> {
    this.#theme = theme;
    await this.seen('wear', lookOf(theme));
  }

  /** Posts messages as the host. */
  async post(...messages: PageState['messages']): Promise<void> {
    await this.page.evaluate((hostMessages) => {
      for (const data of hostMessages) window.dispatchEvent(new MessageEvent('message', { data }));
    }, messages);
  }

  /** Uses the keyboard, because some buttons are visible only on hover. */
  async press(name: string): Promise<void> {
    const label = this.translation.messages[name] ?? name;
    await this.page.getByRole('button', { name: label, exact: true }).last().press('Enter');
  }

  async choose(name: string, entry: string): Promise<void> {
    await this.press(name);
    const label = this.translation.messages[entry] ?? entry;
    await this.page.getByRole('menuitem', { name: label, exact: true }).press('Enter');
  }

  async type(field: string, text: string): Promise<void> {
    await this.page.locator(field).pressSequentially(text);
    await this.page.locator(field).dispatchEvent('change');
  }

  async unfold(within = 'body'): Promise<void> {
    const folds = this.page.locator(`${within} details:not([open]) > summary`);
    // The module that draws it may still be loading.
    await folds.first().waitFor();
    for (let round = 0; round < 40 && (await folds.count()) > 0; round++) {
      await folds.first().press('Enter');
      // Inner folds are drawn after that.
      await this.settle();
    }
  }

  /** Resolves when fonts are loaded and frames were drawn. */
  async settle(): Promise<void> {
    await this.page.evaluate(async () => {
      await document.fonts.ready;
      for (let frame = 0; frame < 3; frame++)
        await new Promise((resolve) => requestAnimationFrame(resolve));
    });
  }

  /** Resolves when buttons that take only deliberate presses are enabled. */
  async enabled(): Promise<void> {
    if ((await this.page.locator('[role=log] button[aria-disabled=true]').count()) > 0)
      await this.page.waitForTimeout(minPressDelay);
    await this.settle();
  }

  /** Runs a function of the script `seen` in the page. */
  async seen<Name extends keyof typeof Seen>(
    name: Name,
    ...parameters: Parameters<(typeof Seen)[Name]>
  ): Promise<ReturnType<(typeof Seen)[Name]>> {
    return await this.page.evaluate(`seen.${name}(...${JSON.stringify(parameters)})`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
