/**
 * Accessibility trees and tab stops of the main states of the pages, compared with golden files.
 * `UPDATE_TRANSCRIPTS=1` updates them.
 */
import { GoldenFiles } from '../../support/goldenFiles.ts';
import { PageBrowser, type PageSize } from '../../support/pages/builtPage.ts';
import { chatStates } from '../../support/pages/chatStates.ts';
import { tabStates } from '../../support/pages/tabStates.ts';
import { accessibilityTree } from './accessibilityTree.ts';
import { tabStops } from './tabStops.ts';

/** Selectors that limit which tab stops are recorded. Undefined where Tab isn't recorded. */
const tabParts: Readonly<Record<string, string | undefined>> = {
  // The form closes when it loses focus.
  options: '.options-form',
  // Tab accepts a completion.
  completions: undefined,
};

/** Tall enough to draw the whole state: what a scrolled chat draws depends on the height. */
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
      await page.enabled();
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
