import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { ThemeKind } from '../support/vscode/themes.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { modelSaying } from '../support/modelSaying.ts';
import { until } from '../support/until.ts';

const code = `\`\`\`ts
/** A weather station that keeps what it measured. */
export class Station {
  readonly #readings: Reading[] = [];

  add(reading: Reading): void {
    if (!Number.isFinite(reading.celsius)) throw new RangeError('A reading must be a number.');
    this.#readings.push(reading);
  }

  average(): number | undefined {
    if (this.#readings.length === 0) return undefined;
    const sum = this.#readings.reduce((total, { celsius }) => total + celsius, 0);
    return sum / this.#readings.length;
  }
}
\`\`\``;

const script = modelSaying(code);
/** Numbered lines. */
function tableOf(name: string, count: number, first = 1): string {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  return numbers.map((number) => `export const ${name}${number} = ${number} * 2;\n`).join('');
}

const rewriting = modelSaying(`\`\`\`ts\n${tableOf('better', 40, 101)}\`\`\``);

/** VS Code in a browser saves automatically. */
const settings = { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 100 };
/**
 * Dark is in another screenshot, and the light high contrast theme looks much like the dark one.
 */
const kinds: readonly ThemeKind[] = ['light', 'high-contrast'];

describe('journey: review an edit', () => {
  journey(
    'edit and decide hunk by hunk',
    { settings, service: { script, pace: 20 } },
    async (walk) => {
      const { workbench, picture, service, workspace } = walk;
      const { page } = workbench;
      await connect(walk);
      const before = await fileOf(workspace);
      await selectStation(walk);
      await page.keyboard.press('ControlOrMeta+Alt+E');
      await workbench.answer(
        'Edit',
        'Refuse readings that are no numbers, and give no average of none',
      );
      await lens(walk, 'Accept').first().waitFor();
      await lens(walk, 'Editing…').waitFor({ state: 'hidden' });
      await picture('1-to-decide');
      const sent = JSON.stringify(service.requests.at(-1)?.body);
      assert.match(sent, /Refuse readings/);
      assert.equal(await fileOf(workspace), before, 'Nothing is written before it is accepted.');

      await clickTopmost(lens(walk, 'Reject'));
      await line(walk, 'A weather station that keeps').waitFor({ state: 'hidden' });
      await picture('2-one-rejected');
      await page.keyboard.press('Alt+F5');
      await page.keyboard.press('ControlOrMeta+Alt+Y');
      await page.locator('.editor-actions a[aria-label^="Accept Edit"]').first().click();
      await page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
      await line(walk, 'isFinite').waitFor();
      await page.locator('.squiggly-error').first().waitFor({ state: 'hidden' });
      await picture('3-decided');
      await page.keyboard.press('ControlOrMeta+S');
      // VS Code marks the tab as saved before the file is written.
      await until(() => textOf(workspace).includes('Number.isFinite'));
      const after = await fileOf(workspace);
      assert.doesNotMatch(after, /A weather station that keeps/);
    },
  );

  journey('an edit to review in other themes', { service: { script } }, async (walk) => {
    const { workbench, picture } = walk;
    await connect(walk);
    await selectStation(walk);
    await workbench.command('Aside: Improve');
    await lens(walk, 'Accept').first().waitFor();
    for (const kind of kinds) {
      await workbench.setTheme(kind);
      await picture(kind);
    }
    await workbench.command('Compare: Toggle Inline View');
    await workbench.page.locator('.monaco-diff-editor:not(.side-by-side)').waitFor();
    await lens(walk, 'Accept').first().waitFor();
    await picture('inline');
    // Toggling changes a setting, which would affect later reviews.
    await workbench.command('Compare: Toggle Inline View');
  });

  journey(
    'a long edit is shown at its location',
    { service: { script: rewriting } },
    async (walk) => {
      const { workbench, picture, workspace } = walk;
      await writeFile(join(workspace, 'src/temperature.ts'), tableOf('row', 200));
      await connect(walk);
      await workbench.openFile('temperature.ts');
      await line(walk, 'row1 ').waitFor();
      await workbench.selectLines(101, 140);
      await workbench.command('Aside: Improve');
      // The lines above the change are folded, and the removed lines may fill the view.
      await workbench.page
        .locator('.view-line', { hasText: /row100 |better1/ })
        .first()
        .waitFor();
      await picture('to-review');
      // A change can be accepted once the reply has ended.
      await workbench.page.locator('.editor-actions a[aria-label^="Accept Edit"]').waitFor();
      await workbench.page.keyboard.press('ControlOrMeta+Alt+Enter');
      await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
      await line(walk, 'better101').waitFor();
      await picture('accepted');
    },
  );

  journey('stop an edit with Escape', { settings, service: { script } }, async (walk) => {
    const { workbench, picture, workspace, service } = walk;
    await connect(walk);
    const before = await fileOf(workspace);
    await selectStation(walk);
    // VS Code draws no buttons while text arrives without a pause.
    service.faults.push({ kind: 'stall', after: 300 });
    await workbench.command('Aside: Improve');
    await line(walk, 'isFinite').waitFor();
    await lens(walk, 'Stop').waitFor();
    await picture('streams');
    await workbench.page.keyboard.press('Escape');
    await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
    await picture('stopped');
    assert.equal(await fileOf(workspace), before);
  });

  journey('a reload drops a review', { settings, service: { script } }, async (walk) => {
    const { workbench, picture, workspace } = walk;
    await connect(walk);
    const before = await fileOf(workspace);
    await selectStation(walk);
    await workbench.command('Aside: Improve');
    await lens(walk, 'Accept').first().waitFor();
    await line(walk, 'isFinite').click();
    await workbench.page.keyboard.type('typed');
    await line(walk, 'typed').waitFor();
    // Unlike a page reload, the command makes VS Code store which tabs are open.
    await workbench.reloadAfterSaving();
    await workbench.page.locator('.tab[data-resource-name="temperature.ts"]').waitFor();
    await line(walk, 'class Station').waitFor();
    await picture('reloaded');
    assert.equal(await line(walk, 'isFinite').count(), 0);
    assert.equal(await fileOf(workspace), before);
  });

  journey('keys typed immediately go into the box', { service: { script } }, async (walk) => {
    const { workbench, picture, workspace } = walk;
    const { page } = workbench;
    const before = await fileOf(workspace);
    await connect(walk);
    await selectStation(walk);
    await page.keyboard.press('ControlOrMeta+Alt+E');
    await workbench.quickInput.waitFor();
    await page.keyboard.type('Refuse what is no number');
    await picture('typed');
    await workbench.quickInput.locator('.quick-input-title', { hasText: 'Edit' }).waitFor();
    assert.equal(
      await workbench.quickInput.locator('input.input').inputValue(),
      'Refuse what is no number',
    );
    await page.keyboard.press('Escape');
    assert.equal(await fileOf(workspace), before);
  });
});

function fileOf(workspace: string): Promise<string> {
  return readFile(join(workspace, 'src/temperature.ts'), 'utf8');
}

/** Content of the file, which is empty for a moment while VS Code writes it. */
function textOf(workspace: string): string {
  return readFileSync(join(workspace, 'src/temperature.ts'), 'utf8');
}

async function selectStation({ workbench }: Journey): Promise<void> {
  await workbench.openFile('temperature.ts');
  await workbench.selectLines(18, 29);
}

function lens({ workbench }: Journey, title: string): Locator {
  return workbench.page.locator('.codelens-decoration a', { hasText: new RegExp(`${title}$`) });
}

/** Clicks the lens of the first hunk. The order of lenses in the page is not that of the lines. */
async function clickTopmost(lenses: Locator): Promise<void> {
  await lenses.nth(2).waitFor();
  const tops = await lenses.evaluateAll((all) =>
    all.map((element) => element.getBoundingClientRect().top),
  );
  await lenses.nth(tops.indexOf(Math.min(...tops))).click();
}

function line({ workbench }: Journey, text: string): Locator {
  return workbench.page.locator('.view-line', { hasText: text }).first();
}
