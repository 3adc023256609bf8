import type { CDPSession, Page } from 'playwright-core';

/** Main thread of a window, which renders everything in it. */
export class MainThread {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async of(page: Page): Promise<MainThread> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new MainThread(session);
  }

  /** Milliseconds of CPU time of the work. */
  async cpuOf(work: () => Promise<unknown>): Promise<number> {
    const before = await this.#time();
    await work();
    return (await this.#time()) - before;
  }

  async #time(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? NaN) * 1000;
  }
}
