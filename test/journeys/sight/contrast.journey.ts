/**
 * Measures the contrast of everything that the pages draw, in every theme that comes with VS Code, as
 * WCAG 2 asks for it at level AA.
 */
import assert from 'node:assert/strict';
import { PageBrowser, type BuiltPage } from '../../support/pages/builtPage.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import { looksIn } from '../../support/pages/pageTheme.ts';
import { tabStates } from '../../support/pages/tabStates.ts';

describe('contrast', () => {
  let browser: PageBrowser;
  let page: BuiltPage;

  before(async () => {
    browser = await PageBrowser.launch();
    page = await browser.open();
    await page.page.emulateMedia({ reducedMotion: 'reduce' });
  });

  after(() => browser[Symbol.asyncDispose]());

  for (const state of [...chatStates, ...tabStates])
    it(state.name, async () => {
      await page.show(state);
      const places =
        state.kind === 'main' ? (['sideBar', 'panel', 'editor'] as const) : (['editor'] as const);
      const { count, faint } = await page.seen('faintIn', looksIn(places));
      assert.ok(count > 10);
      assert.deepEqual(faint, []);
    });
});
