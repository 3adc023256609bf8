import type { Browser, CDPSession, Page } from 'playwright-core';
import * as z from 'zod';
import type { Size } from './corpus.ts';
import type { Pace } from './page/drive.ts';

/** Fifty chunks per frame: faster than any service. */
export const fullSpeed: Pace = { perFrame: 50 };

const streamed = z.object({ frames: z.number(), dropped: z.number() });

/** Milliseconds of the main thread's CPU time. */
export interface Cost {
  readonly cpu: number;
  readonly script: number;
  readonly style: number;
  readonly layout: number;
}

export type Run = Cost & z.infer<typeof streamed>;

/** Paths of a subject's files on the server. */
interface SubjectFiles {
  /** `/aside.js` */
  readonly script: string;
  /** The subject's own style sheet, if any, besides that of all pages. */
  readonly style: string | undefined;
}

/** A page with one subject, which has already rendered a reply of 8 KB. */
export class SubjectPage implements AsyncDisposable {
  readonly page: Page;
  readonly session: CDPSession;
  readonly #script: string;

  private constructor(page: Page, session: CDPSession, script: string) {
    this.page = page;
    this.session = session;
    this.#script = script;
  }

  static async open(
    browser: Browser,
    origin: string,
    { script, style }: SubjectFiles,
  ): Promise<SubjectPage> {
    const page = await browser.newPage({ viewport: { width: 420, height: 800 } });
    const session = await page.context().newCDPSession(page);
    await page.goto(origin);
    if (style !== undefined) await page.addStyleTag({ url: style });
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const opened = new SubjectPage(page, session, script);
    await opened.prepare(8);
    await opened.stream(fullSpeed);
    return opened;
  }

  /** Removes the last reply, and prepares the next one. */
  async prepare(size: Size): Promise<void> {
    await this.call(`prepare(subject.createSubject, ${size})`);
    await this.session.send('HeapProfiler.collectGarbage');
  }

  async stream(pace: Pace): Promise<Run> {
    const before = await this.#cost();
    const result = await this.call(`stream(${JSON.stringify(pace)})`);
    const after = await this.#cost();
    return {
      ...streamed.parse(result),
      cpu: after.cpu - before.cpu,
      script: after.script - before.script,
      style: after.style - before.style,
      layout: after.layout - before.layout,
    };
  }

  /** Calls an export of the subject's script. */
  call(expression: string): Promise<unknown> {
    return this.page.evaluate(`import('${this.#script}').then((subject) => subject.${expression})`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close();
  }

  async #cost(): Promise<Cost> {
    const { metrics } = await this.session.send('Performance.getMetrics');
    const find = (name: string): number => {
      const metric = metrics.find((candidate) => candidate.name === name);
      if (metric === undefined) throw new Error(`The browser does not count ${name}.`);
      return metric.value * 1000;
    };
    return {
      cpu: find('TaskDuration'),
      script: find('ScriptDuration'),
      style: find('RecalcStyleDuration'),
      layout: find('LayoutDuration'),
    };
  }
}
