import { createRequire } from 'node:module';
import type axeCore from 'axe-core';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { looksIn, type PagePlace } from '../../support/pages/pageTheme.ts';

/** What the script of axe-core adds to a page. */
declare const axe: typeof axeCore;

const script = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/**
 * The first is an experiment that takes "a.ts, 3" for another name than "a.ts 3"; the unit tests compare
 * letters. The browser of VS Code lets the keyboard scroll whatever has a scroll bar.
 */
const notAsked = ['label-content-name-mismatch', 'scrollable-region-focusable'];
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * What axe-core finds against WCAG 2.2 at levels A and AA: every rule in the theme that the page has, and
 * the rule about contrast in all themes.
 */
export async function brokenRules(page: Page, place: PagePlace): Promise<readonly string[]> {
  await page.addScriptTag({ path: script });
  return page.evaluate(
    async ({ tags, off, looks }) => {
      const found = new Set<string>();
      const check = async (options: RunOptions, theme = ''): Promise<void> => {
        const { violations } = await axe.run(document, { resultTypes: ['violations'], ...options });
        for (const { id, nodes } of violations)
          for (const { html } of nodes) found.add(`${id} ${theme}: ${html.slice(0, 160)}`);
      };
      const rules = Object.fromEntries(off.map((rule) => [rule, { enabled: false }]));
      await check({ runOnly: tags, rules });
      const { style } = document.documentElement;
      const before = { style: style.cssText, className: document.body.className };
      for (const look of looks) {
        style.cssText = look.style;
        document.body.className = look.className;
        document.body.dataset['vscodeThemeId'] = look.id;
        await check({ runOnly: ['color-contrast'] }, look.theme);
      }
      style.cssText = before.style;
      document.body.className = before.className;
      return [...found];
    },
    { tags: levels, off: notAsked, looks: looksIn([place]) },
  );
}
