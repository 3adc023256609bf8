import { createRequire } from 'node:module';
import type { default as axeCore, RunOptions } from 'axe-core';
import type { BuiltPage } from '../../support/pages/builtPage.ts';

/** Global that axe-core's script adds to a page. */
declare const axe: typeof axeCore;

const script = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/**
 * The first rule is an experiment that treats "a.ts, 3" and "a.ts 3" as different names; unit tests
 * compare the letters. The second doesn't apply: in Chromium, the keyboard can scroll anything with
 * a scroll bar.
 */
const disabledRules = ['label-content-name-mismatch', 'scrollable-region-focusable'];
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * Violations of WCAG 2.2, levels A and AA, that axe-core finds in the current theme. Contrast in
 * all themes is checked by `seen`, including elements that axe-core skips.
 */
export async function brokenRules({ page }: BuiltPage): Promise<readonly string[]> {
  await page.addScriptTag({ path: script });
  const rules = Object.fromEntries(disabledRules.map((rule) => [rule, { enabled: false }]));
  const run: RunOptions = { resultTypes: ['violations'], runOnly: levels, rules };
  const { violations } = await page.evaluate((axeOptions) => axe.run(document, axeOptions), run);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
  );
}
