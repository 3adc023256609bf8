import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/vscode/launchBrowser.ts';
import { buildPages, type Site } from './buildPages.ts';
import type { Size } from './corpus.ts';
import type { Pace } from './page/drive.ts';
import { serveSite, type SiteServer } from './siteServer.ts';
import { SubjectPage, type Run } from './subjectPage.ts';

export const aside = 'test/bench/rendering/page/aside.ts';
export const plainText = 'test/bench/rendering/page/plainText.ts';

/** A browser and the pages it shows. */
export class Stage implements AsyncDisposable {
  readonly browser: Browser;
  readonly site: Site;
  readonly #server: SiteServer;

  private constructor(browser: Browser, site: Site, server: SiteServer) {
    this.browser = browser;
    this.site = site;
    this.#server = server;
  }

  /** Builds the subjects of these scripts. */
  static async open(subjects: readonly string[], minify = true): Promise<Stage> {
    const site = await buildPages(subjects, minify);
    const server = await serveSite(site);
    try {
      return new Stage(await launchBrowser(), site, server);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  get version(): string {
    return `Chromium ${this.browser.version()}`;
  }

  /** A warmed-up page of its own. */
  page(subject: string): Promise<SubjectPage> {
    const path = subject.replace(/^.*\/(\w+)\.tsx?$/, '/$1');
    const style = this.site.has(`${path}.css`) ? `${path}.css` : undefined;
    return SubjectPage.open(this.browser, this.#server.origin, { script: `${path}.js`, style });
  }

  /** Streams one reply in a new page. */
  async run(subject: string, size: Size, pace: Pace): Promise<Run> {
    await using page = await this.page(subject);
    await page.prepare(size);
    return await page.stream(pace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.#server[Symbol.asyncDispose]();
  }
}
