import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { projectFolder } from '../paths.ts';
import { launchBrowser } from '../vscode/launchBrowser.ts';
import type * as Seen from './seen/index.ts';
import type { PagePerson, PageState } from './pageState.ts';
import { pageScripts } from './pageScripts.ts';
import { lookOf, type PageTheme } from './pageTheme.ts';

const origin = 'http://built.test';
const built = join(projectFolder, 'dist/webview');
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

/** The time at which all pages are, so that they look the same each time. */
const pageTime = Date.UTC(2026, 0, 31, 12);

/** CSS pixels. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** A display language, with the translations of messages by their English text. */
export interface PageTranslation {
  readonly language: string;
  readonly messages: Readonly<Record<string, string>>;
}

/** A browser that shows the pages as `npm run build` made them, without VS Code. */
export class PageBrowser implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #scripts: string;

  private constructor(browser: Browser, scripts: string) {
    this.#browser = browser;
    this.#scripts = scripts;
  }

  static async launch(): Promise<PageBrowser> {
    return new PageBrowser(await launchBrowser(), await pageScripts());
  }

  /** A window of its own, about as large as a side bar, in English if nothing else is given. */
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
    await context.route(`${origin}/**`, (route) => serve(route, translation));
    await context.addInitScript({ content: this.#scripts });
    const page = await context.newPage();
    await page.clock.setFixedTime(pageTime);
    return new BuiltPage(page, translation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** A page of the view in a browser, whose host and person is the test. */
export class BuiltPage implements AsyncDisposable, PagePerson {
  readonly page: Page;
  readonly translation: PageTranslation;
  #theme: PageTheme | undefined;

  constructor(page: Page, translation: PageTranslation) {
    this.page = page;
    this.translation = translation;
  }

  /** Loads the page of a state, and resolves once all of it is drawn. */
  async show({ kind, messages, act, drawn }: PageState): Promise<void> {
    await this.page.goto(`${origin}/${kind}`);
    await this.page.waitForFunction(() => Reflect.has(globalThis, 'isReady'));
    if (this.#theme !== undefined) await this.wear(this.#theme);
    await this.post(...messages);
    if (kind === 'main') await this.page.locator('.panel [aria-autocomplete]').waitFor();
    await act?.(this);
    await this.page.mouse.move(0, 0);
    for (const selector of drawn) await this.page.locator(selector).first().waitFor();
    await this.settle();
  }

  /** Takes on the colors of a theme, and keeps them for all that is shown. */
  async wear(theme: PageTheme): Promise<void> {
    this.#theme = theme;
    await this.page.evaluate(({ style, className, id }) => {
      document.documentElement.style.cssText = style;
      document.body.className = className;
      document.body.dataset['vscodeThemeId'] = id;
    }, lookOf(theme));
  }

  /** Says something as the host. */
  async post(...messages: PageState['messages']): Promise<void> {
    await this.page.evaluate((given) => {
      for (const data of given) window.dispatchEvent(new MessageEvent('message', { data }));
    }, messages);
  }

  /** By keyboard: some buttons are seen only under the pointer. */
  async press(name: string): Promise<void> {
    const shown = this.translation.messages[name] ?? name;
    await this.page.getByRole('button', { name: shown, exact: true }).last().press('Enter');
  }

  async type(field: string, text: string): Promise<void> {
    await this.page.locator(field).pressSequentially(text);
    await this.page.locator(field).dispatchEvent('change');
  }

  async unfold(within = 'body'): Promise<void> {
    const folds = this.page.locator(`${within} details:not([open]) > summary`);
    for (let round = 0; round < 40 && (await folds.count()) > 0; round++) {
      await folds.first().press('Enter');
      // What was in it is there then.
      await this.settle();
    }
  }

  /** Resolves when fonts are there and frames were drawn. */
  async settle(): Promise<void> {
    await this.page.evaluate(async () => {
      await document.fonts.ready;
      for (let frame = 0; frame < 3; frame++)
        await new Promise((resolve) => requestAnimationFrame(resolve));
    });
  }

  /** Runs a function of the script `seen`. */
  async seen<Name extends keyof typeof Seen>(
    name: Name,
    ...given: Parameters<(typeof Seen)[Name]>
  ): Promise<ReturnType<(typeof Seen)[Name]>> {
    return await this.page.evaluate(`seen.${name}(...${JSON.stringify(given)})`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}

async function serve(route: Route, translation: PageTranslation): Promise<void> {
  const { pathname } = new URL(route.request().url());
  const contentType = types[extname(pathname)];
  if (contentType === undefined) {
    const body = await htmlOf(pathname.slice(1), translation);
    await route.fulfill({ body, contentType: 'text/html' });
    return;
  }
  await route.fulfill({ body: await readFile(join(built, pathname)), contentType });
}

/** As the host writes it, with the style sheet that VS Code gives to every webview. */
async function htmlOf(kind: string, translation: PageTranslation): Promise<string> {
  const read = (path: string): Promise<string> => readFile(join(projectFolder, path), 'utf8');
  const { language, messages } = translation;
  const embedded = JSON.stringify(messages).replaceAll('<', '\\u003c');
  const defaults = await read('test/support/pages/webviewDefaults.css');
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${defaults}</style>
<style>${await read('media/webview/first.css')}</style>
<script type="application/json" id="l10n">${embedded}</script>
<title>Aside</title>
</head>
<body>
<div id="root"></div>
<link rel="stylesheet" href="/${kind}.css">
<script type="module" src="/${kind}.js"></script>
</body>
</html>`;
}
