/** Counts the work of the browser for a streamed reply, which is the same on every machine. */
import assert from 'node:assert/strict';
import type { CDPSession } from 'playwright-core';
import { PageBrowser, type BuiltPage } from '../../support/pages/builtPage.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import { everyBlock } from '../../support/pages/longReply.ts';

const state = chatStates.find(({ name }) => name === 'waiting') ?? assert.fail();
/** Deltas of a reply, each in a frame of its own. */
const frames = 200;

/** For each frame with a delta. */
interface Work {
  readonly styles: number;
  readonly layouts: number;
}

describe('the work of the browser for each delta of a reply', () => {
  let browser: PageBrowser;
  let page: BuiltPage;
  let session: CDPSession;

  before(async () => {
    browser = await PageBrowser.launch();
    page = await browser.open();
    session = await page.page.context().newCDPSession(page.page);
    await session.send('Performance.enable');
  });

  after(() => browser[Symbol.asyncDispose]());

  for (const [name, text] of [
    [
      'prose',
      'Rain falls on the **north** station, and `celsius` is read once an hour. '.repeat(60),
    ],
    [
      'code',
      `\`\`\`ts\n${'const measured = stations.map(({ celsius }) => celsius);\n'.repeat(80)}`,
    ],
    ['every kind of block', everyBlock],
  ] as const) {
    it(`is one layout and one recalculation of styles in ${name}`, async () => {
      await page.show(state);
      const { styles, layouts } = await workOf(text);
      assert.ok(layouts <= 1.05, `${layouts} layouts`);
      assert.ok(styles <= 1.05, `${styles} recalculations of styles`);
    });
  }

  /** Streams a text. */
  async function workOf(text: string): Promise<Work> {
    const size = Math.ceil(text.length / frames);
    const deltas = Array.from({ length: frames }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    ).filter((delta) => delta !== '');
    const before = await counts();
    await page.page.evaluate(async (texts) => {
      for (const [index, delta] of texts.entries()) {
        const events = [{ type: 'text-delta', text: delta, at: Date.now() + index }];
        window.dispatchEvent(new MessageEvent('message', { data: { type: 'events', events } }));
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }, deltas);
    await page.settle();
    const after = await counts();
    return {
      styles: (after.styles - before.styles) / deltas.length,
      layouts: (after.layouts - before.layouts) / deltas.length,
    };
  }

  async function counts(): Promise<Work> {
    const { metrics } = await session.send('Performance.getMetrics');
    const valueOf = (name: string): number =>
      metrics.find((metric) => metric.name === name)?.value ?? assert.fail(name);
    return { styles: valueOf('RecalcStyleCount'), layouts: valueOf('LayoutCount') };
  }
});
