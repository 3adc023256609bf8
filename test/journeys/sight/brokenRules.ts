import { createRequire } from 'node:module';
import type { default as axeCore, RunOptions } from 'axe-core';
import type { BuiltPage } from '../../support/pages/builtPage.ts';
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
export async function brokenRules(
  page: BuiltPage,
  pagePlace: PagePlace,
): Promise<readonly string[]> {
  await page.page.addScriptTag({ path: script });
  const rules = Object.fromEntries(notAsked.map((rule) => [rule, { enabled: false }]));
  const violations = [...(await findBroken(page, { runOnly: levels, rules }))];
  for (const look of looksIn([pagePlace])) {
    await page.seen('wear', look);
    const faint = await findBroken(page, { runOnly: ['color-contrast'] });
    violations.push(...faint.map((broken) => `${look.theme}: ${broken}`));
  }
  return violations;
}

async function findBroken({ page }: BuiltPage, options: RunOptions): Promise<readonly string[]> {
  const run: RunOptions = { resultTypes: ['violations'], ...options };
  const { violations } = await page.evaluate((axeOptions) => axe.run(document, axeOptions), run);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
  );
}
