import { createRequire } from 'node:module';
import type { default as axeCore, RunOptions } from 'axe-core';
import type { BuiltPage } from '../../support/pages/builtPage.ts';

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
 * What axe-core finds against WCAG 2.2 at levels A and AA in the theme that the page has. Contrast in all
 * themes is measured by `seen`, also where axe-core doesn't look.
 */
export async function brokenRules({ page }: BuiltPage): Promise<readonly string[]> {
  await page.addScriptTag({ path: script });
  const rules = Object.fromEntries(notAsked.map((rule) => [rule, { enabled: false }]));
  const run: RunOptions = { resultTypes: ['violations'], runOnly: levels, rules };
  const { violations } = await page.evaluate((axeOptions) => axe.run(document, axeOptions), run);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
  );
}
