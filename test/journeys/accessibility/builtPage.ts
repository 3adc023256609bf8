import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Page, Route } from 'playwright-core';
import * as z from 'zod';
import type { HostMessage } from '../../../src/protocol/messages.ts';
import type { RequestHostMessage } from '../../../src/protocol/requestMessages.ts';
import type { UsageHostMessage } from '../../../src/protocol/usageMessages.ts';
import { projectFolder } from '../../support/paths.ts';
import { startedAt } from '../../unit/webview/tools.ts';
import { accessibilityTree } from './accessibilityTree.ts';

/** The pages of Aside, by the names of their scripts. */
export type PageName = 'main' | 'usage' | 'request';

type AnyHostMessage = HostMessage | UsageHostMessage | RequestHostMessage;

/** What the host posts when a page asks for something, before it settles a request. */
export type AnswerPage = (asked: unknown) => readonly AnyHostMessage[];

/** As much of a message of any page as is needed to settle its requests. */
const askedSchema = z.looseObject({ type: z.string(), id: z.optional(z.unknown()) });
type Asked = z.infer<typeof askedSchema>;

const origin = 'http://aside.test';
const folder = join(projectFolder, 'dist', 'webview');
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

/** What VS Code gives to pages; the test answers. */
const vsCodeApi = `
  let state;
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => void window.askHost(message),
    getState: () => state,
    setState: (next) => (state = next),
  });`;

/** A page as it is built for the package, in Chromium without VS Code, with the test as its host. */
export class BuiltPage {
  readonly page: Page;
  readonly #session: CDPSession;
  readonly #context: BrowserContext;
  readonly #asked: Asked[] = [];
  /** Files that the page loads, and messages that its host answers. */
  #loading = 0;

  private constructor(page: Page, session: CDPSession, context: BrowserContext) {
    this.page = page;
    this.#session = session;
    this.#context = context;
  }

  static async open(
    browser: Browser,
    name: PageName,
    answer: AnswerPage = () => [],
  ): Promise<BuiltPage> {
    const context = await browser.newContext({
      viewport: { width: 480, height: 900 },
      locale: 'en-US',
      timezoneId: 'UTC',
    });
    const page = await context.newPage();
    const opened = new BuiltPage(page, await context.newCDPSession(page), context);
    await context.route(`${origin}/**`, (route) => opened.#wait(() => fulfill(route, name)));
    // Times that are shown do not go on.
    await page.clock.setFixedTime(startedAt + 60_000);
    await page.exposeFunction('askHost', (asked: unknown) =>
      opened.#wait(() => opened.#receive(asked, answer)),
    );
    await page.addInitScript(vsCodeApi);
    await page.goto(`${origin}/`);
    await opened.until((all) => all.some(({ type }) => type === 'ready'));
    return opened;
  }

  /** Posts messages of the host, one after the other, and waits until they are drawn. */
  async post(...messages: readonly AnyHostMessage[]): Promise<void> {
    for (const message of messages)
      await this.page.evaluate((data) => window.postMessage(data, '*'), message);
    await this.drawn();
  }

  /** Waits until nothing changes in the page any more, also what is loaded when first shown. */
  async drawn(): Promise<void> {
    do await this.#frames();
    while (this.#loading > 0);
    // What was loaded is drawn, too.
    await this.#frames();
  }

  /** What assistive technology gets of the page. */
  tree(): Promise<string> {
    return accessibilityTree(this.#session);
  }

  /**
   * Types and names of all elements that Tab reaches, in its order, up to the end of the page.
   *
   * @param isFromStart from the start of the page, and not from the focused element
   */
  async tabStops(isFromStart: boolean): Promise<readonly string[]> {
    const stops: string[] = [];
    // Tab goes on where the focus was, also if that is gone.
    if (isFromStart)
      await this.page.evaluate(() => {
        const first = document.createElement('div');
        first.tabIndex = -1;
        document.body.prepend(first);
        first.focus();
        first.remove();
      });
    for (;;) {
      await this.page.keyboard.press('Tab');
      const stop = await this.focused();
      if (stop === '' || stops.length > 200) return stops;
      stops.push(stop);
    }
  }

  /** The focused element; empty where nothing has the focus. */
  focused(): Promise<string> {
    return this.page.evaluate(() => {
      const { activeElement: element } = document;
      if (element === null || element === document.body) return '';
      const [named] = element instanceof HTMLInputElement ? (element.labels ?? []) : [];
      const label = element.getAttribute('aria-label') ?? named?.textContent;
      const name = (label ?? element.textContent).replaceAll(/\s+/g, ' ').trim().slice(0, 80);
      const kind = element.getAttribute('role') ?? element.tagName.toLowerCase();
      return `${kind} ${JSON.stringify(name)}`;
    });
  }

  /** Presses a button by keyboard. */
  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).last().press('Enter');
    await this.drawn();
  }

  /** Types into the composer. */
  async type(text: string): Promise<void> {
    await this.page.getByRole('textbox', { name: 'Message', exact: true }).pressSequentially(text);
    await this.drawn();
  }

  async close(): Promise<void> {
    await this.#context.close();
  }

  /** Waits until the page has asked for something. */
  async until(condition: (asked: readonly Asked[]) => boolean): Promise<void> {
    while (!condition(this.#asked))
      await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }

  async #wait(load: () => Promise<void>): Promise<void> {
    this.#loading++;
    try {
      await load();
    } finally {
      this.#loading--;
    }
  }

  #frames(): Promise<void> {
    return this.page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const frames = (left: number): void =>
            void requestAnimationFrame(() => (left === 0 ? resolve() : frames(left - 1)));
          frames(4);
        }),
    );
  }

  async #receive(message: unknown, answer: AnswerPage): Promise<void> {
    const asked = askedSchema.parse(message);
    this.#asked.push(asked);
    const messages = [...answer(message), ...settled(asked)];
    for (const message of messages)
      await this.page.evaluate((data) => window.postMessage(data, '*'), message);
  }
}

/** Answers a request with a file of the build, or with the page itself. */
async function fulfill(route: Route, name: PageName): Promise<void> {
  const file = join(folder, normalize(new URL(route.request().url()).pathname));
  const contentType = types[extname(file)];
  if (contentType === undefined || !existsSync(file))
    await route.fulfill({ contentType: 'text/html', body: html(name) });
  else await route.fulfill({ contentType, body: await readFile(file) });
}

function settled({ type, id }: Asked): readonly HostMessage[] {
  return type === 'request' && typeof id === 'number' ? [{ type: 'settled', id }] : [];
}

/** As `host/page.ts` writes it. */
function html(name: PageName): string {
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Aside</title></head>
<body class="vscode-dark">
<div id="root"></div>
<link rel="stylesheet" href="/${name}.css">
<script type="module" src="/${name}.js"></script>
</body>
</html>`;
}
