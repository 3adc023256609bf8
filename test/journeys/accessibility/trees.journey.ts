/**
 * What a screen reader gets of each main state of the pages, and where Tab leads in it, written down.
 * `UPDATE_TRANSCRIPTS=1` writes it anew.
 */
import type { Browser } from 'playwright-core';
import { GoldenFiles } from '../../support/goldenFiles.ts';
import { launchBrowser } from '../../support/vscode/launchBrowser.ts';
import type { BuiltPage } from './builtPage.ts';
import { openScene } from './chatHost.ts';
import { chatScenes } from './chatScenes.ts';
import { openRequest, openUsage, requestOverview, usageScenes } from './tabScenes.ts';

/** From where Tab is followed; where it chooses from a list, it leads nowhere. */
type TabUse = 'from start' | 'from focus' | 'chooses';

const tabUses: Readonly<Record<string, TabUse>> = {
  // They close when the focus leaves them.
  options: 'from focus',
  completions: 'chooses',
};

describe('accessibility trees', () => {
  const goldens = new GoldenFiles('accessibility');
  let browser: Browser;

  before(async () => {
    browser = await launchBrowser();
  });

  async function compare(name: string, page: BuiltPage, tab: TabUse = 'from start'): Promise<void> {
    const tree = await page.tree();
    const stops = tab === 'chooses' ? [] : await page.tabStops(tab === 'from start');
    goldens.compare(name, `${tree}\nTab:\n${stops.map((stop) => `  ${stop}\n`).join('')}`);
    await page.close();
  }

  for (const [name, scene] of Object.entries(chatScenes))
    it(`chat: ${name}`, async () =>
      compare(`chat ${name}`, await openScene(browser, scene), tabUses[name]));

  for (const [name, report] of Object.entries(usageScenes))
    it(`usage: ${name}`, async () => compare(`usage ${name}`, await openUsage(browser, report)));

  it('usage: as a table', async () => {
    const page = await openUsage(browser);
    await page.press('Show as Table');
    await compare('usage as a table', page);
  });

  it('request: with parts left out', async () =>
    compare('request with parts left out', await openRequest(browser, requestOverview)));

  it('request: unfolded', async () => {
    const page = await openRequest(browser, requestOverview);
    const folded = page.page.locator('details:not([open]) > summary');
    while ((await folded.count()) > 0) {
      await folded.first().press('Enter');
      await page.drawn();
    }
    await compare('request unfolded', page);
  });

  it('request: none', async () =>
    compare('request none', await openRequest(browser, 'Select a model first.')));

  after('every golden is of a state', () => goldens.checkAllUsed());
  after(() => browser.close());
});
