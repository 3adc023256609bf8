/**
 * Where the focus is after each button of each main state was pressed by keyboard: somewhere, and not
 * with the page, from where a person has to begin anew.
 */
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/vscode/launchBrowser.ts';
import type { BuiltPage } from './builtPage.ts';
import { openScene } from './chatHost.ts';
import { chatScenes } from './chatScenes.ts';
import { openRequest, openUsage, requestOverview } from './tabScenes.ts';

describe('the focus after each action', () => {
  let browser: Browser;

  before(async () => {
    browser = await launchBrowser();
  });

  after(() => browser.close());

  /** Presses each button of a state in a page of its own; some are in many states. */
  async function pressAll(
    open: () => Promise<BuiltPage>,
    pressed: Set<string>,
  ): Promise<readonly string[]> {
    const lost: string[] = [];
    const first = await open();
    const names = await first.buttons();
    await first.close();
    for (const [index, name] of names.entries()) {
      if (pressed.has(name)) continue;
      pressed.add(name);
      const page = await open();
      await page.pressButton(index);
      if ((await page.focused()) === '') lost.push(name);
      await page.close();
    }
    return lost;
  }

  const pressed = new Set<string>();
  for (const [name, scene] of Object.entries(chatScenes))
    it(`is kept in the chat: ${name}`, async () => {
      const lost = await pressAll(() => openScene(browser, scene), pressed);
      assert.deepEqual(lost, []);
    });

  it('is kept in the usage', async () => {
    assert.deepEqual(await pressAll(() => openUsage(browser), new Set()), []);
  });

  it('is kept in the next request', async () => {
    const open = (): Promise<BuiltPage> => openRequest(browser, requestOverview);
    assert.deepEqual(await pressAll(open, new Set()), []);
  });
});
