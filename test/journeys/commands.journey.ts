import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitAll } from '../support/gitIn.ts';
import { modelSaying } from '../support/modelSaying.ts';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { withoutGit, withoutProject } from './support/reasons.ts';

const whole = 'return (celsius * 9) / 5 + 32;';
const broken = 'return (celcius * 9) / 5 + 32;';

const fixing = modelSaying(
  [
    '```ts',
    'export function toFahrenheit(celsius: number): number {',
    `  ${whole}`,
    '}',
    '```',
  ].join('\n'),
);

const message = 'Tell the temperature in kelvin too\n\nThe report needs it.';

describe('journey: commands on code', () => {
  journey(
    'fix from the light bulb',
    { service: { script: fixing }, not: withoutProject },
    async (walk) => {
      const { workbench, workspace, service, picture } = walk;
      const { page } = workbench;
      const file = join(workspace, 'src/temperature.ts');
      await writeFile(file, (await readFile(file, 'utf8')).replace(whole, broken));
      await connect(walk);
      await workbench.openFile('temperature.ts');
      await page.locator('.squiggly-error').first().waitFor();
      await workbench.goTo(9, 14);
      // The bulb of another place, or of the time before the error, lists no fixes.
      await page.locator('.lightBulbWidget[class*="autofix"]:visible').click();
      const fix = page.locator('.action-widget .monaco-list-row', { hasText: 'Fix with Aside' });
      await fix.waitFor();
      await picture('1-offered');
      // On the oldest VS Code, an invisible element covers the list, so the keyboard selects the
      // entry.
      const isChosen = fix.and(page.locator('.focused'));
      while (!(await isChosen.isVisible())) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const accept = page.locator('.codelens-decoration a', { hasText: 'Accept' }).first();
      await accept.waitFor();
      await picture('2-to-review');
      // The corrected text has no problems of its own during the review.
      assert.ok((await page.locator('.squiggly-error').count()) <= 1);
      const sent = JSON.stringify(service.requests.at(-1)?.body);
      assert.match(sent, /Cannot find name 'celcius'/);
      await accept.click();
      await accept.waitFor({ state: 'hidden' });
      const lines = page.locator('.monaco-editor .view-lines').first();
      await lines.getByText('celsius * 9').first().waitFor();
      assert.doesNotMatch(await lines.innerText(), /celcius/);
      await page.locator('.squiggly-error').waitFor({ state: 'hidden' });
      await picture('3-accepted');
    },
  );

  const writing = { service: { script: modelSaying(message), pace: 200 } };
  journey(
    'write a commit message',
    { freshWindow: true, ...writing, not: withoutGit },
    async (walk) => {
      const { workbench, workspace, service, picture } = walk;
      const { page } = workbench;
      commitAll(workspace, 'Show the weather of all stations');
      const file = join(workspace, 'src/temperature.ts');
      const kelvin = '\nexport const toKelvin = (celsius: number): number => celsius + 273.15;\n';
      await writeFile(file, (await readFile(file, 'utf8')) + kelvin);
      await connect(walk);
      await workbench.showContainer('Source Control');
      const button = page.getByRole('button', { name: 'Write Commit Message' });
      await button.first().waitFor();
      await picture('1-changed');
      await button.first().click();
      // Moves the pointer away so that the button's tooltip doesn't cover the text.
      await page.mouse.move(700, 700);
      await page.getByRole('button', { name: 'Stop Writing Commit Message' }).first().waitFor();
      const input = page.locator('.scm-input .view-lines');
      await input.getByText('Tell the').waitFor();
      await picture('2-streams');
      await input.getByText('The report needs it.').waitFor();
      await button.first().waitFor();
      await picture('3-written');
      const sent = JSON.stringify(service.requests.at(-1)?.body);
      assert.match(sent, /Show the weather of all stations/);
      assert.match(sent, /toKelvin/);
    },
  );
});
