/**
 * What a screen reader gets of each main state of the pages, and where Tab leads in it, written down.
 * `UPDATE_TRANSCRIPTS=1` writes it anew.
 */
import { GoldenFiles } from '../../support/goldenFiles.ts';
import { PageBrowser, type PageSize } from '../../support/pages/builtPage.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import { tabStates } from '../../support/pages/tabStates.ts';
import { accessibilityTree } from './accessibilityTree.ts';
import { tabStops } from './tabStops.ts';

/** In which part of the page Tab is followed, where that is not all of it. */
const tabParts: Readonly<Record<string, string | undefined>> = {
  // It closes when the focus leaves it.
  options: '.options-form',
  // Tab chooses one.
  completions: undefined,
};

/** High, so that no more and no less is drawn where the chat is scrolled; some is longer than that. */
function sizeOf(name: string): PageSize {
  return { width: 360, height: name === 'long chat' ? 800 : 2400 };
}

describe('accessibility trees', () => {
  const goldens = new GoldenFiles('accessibility');
  let browser: PageBrowser;

  before(async () => {
    browser = await PageBrowser.launch();
  });

  for (const state of [...chatStates, ...tabStates]) {
    const { kind, name } = state;
    it(`${kind}: ${name}`, async () => {
      await using page = await browser.open(sizeOf(name));
      await page.show(state);
      const tree = await accessibilityTree(page.page);
      const part = name in tabParts ? tabParts[name] : 'body';
      const stops = part === undefined ? [] : await tabStops(page.page, part);
      const tabs = stops.map((stop) => `  ${stop}\n`).join('');
      goldens.compare(kind === 'main' ? `chat ${name}` : name, `${tree}\nTab:\n${tabs}`);
    });
  }

  after('every golden is of a state', () => goldens.checkAllUsed());
  after(() => browser[Symbol.asyncDispose]());
});
