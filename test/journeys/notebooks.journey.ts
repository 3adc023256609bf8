import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { modelSaying } from '../support/modelSaying.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';

const notebook = {
  cells: [
    { cell_type: 'markdown', id: 'aa', metadata: {}, source: ['## Temperatures of one day'] },
    {
      cell_type: 'code',
      execution_count: 1,
      id: 'bb',
      metadata: { tags: ['data'] },
      outputs: [{ name: 'stdout', output_type: 'stream', text: ['24 readings of one day\n'] }],
      source: ['readings = load("day.csv")\n', 'print(f"{len(readings)} readings of one day")'],
    },
    {
      cell_type: 'code',
      execution_count: 2,
      id: 'cc',
      metadata: {},
      outputs: [{ name: 'stdout', output_type: 'stream', text: ['7.25\n'] }],
      source: [
        'total = 0\n',
        'for r in readings:\n',
        '    total = total + r\n',
        'print(total / 24)',
      ],
    },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};

const script = modelSaying('```python\nprint(sum(readings) / len(readings))\n```');

/** Without auto save, the tab shows whether its notebook is saved. */
const settings = { 'files.autoSave': 'off' };

describe('journey: notebooks', () => {
  journey('improve a cell of a notebook', { settings, service: { script } }, async (walk) => {
    const { workbench, picture, service, workspace } = walk;
    const { page } = workbench;
    const path = join(workspace, 'day.ipynb');
    await writeFile(path, `${JSON.stringify(notebook, undefined, 1)}\n`);
    await connect(walk);
    await page.keyboard.press('ControlOrMeta+P');
    await workbench.pick('day.ipynb');
    await line(walk, 'total = total').click();
    await line(walk, 'total = total').click({ button: 'right' });
    await page.locator('.context-view .action-label', { hasText: /^Aside$/ }).hover();
    await page.locator('.context-view .action-label', { hasText: /^Improve$/ }).waitFor();
    await picture('1-menu');
    await page.locator('.context-view .action-label', { hasText: /^Improve$/ }).click();
    await lens(walk, 'Accept').first().waitFor();
    await picture('2-to-decide');
    const sent = JSON.stringify(service.requests.at(-1)?.body);
    assert.match(sent, /%% cell 2 code python/);
    assert.match(sent, /day\.ipynb, cell 3/);
    assert.doesNotMatch(sent, /24 readings of one day/, 'Outputs are not sent.');
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), notebook);

    await page.keyboard.press('ControlOrMeta+Alt+Enter');
    await page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
    await line(walk, 'sum(readings)').waitFor();
    await picture('3-accepted');
    await page.keyboard.press('ControlOrMeta+Z');
    await line(walk, 'total = total').waitFor();
    await page.keyboard.press('ControlOrMeta+Shift+Z');
    await line(walk, 'sum(readings)').waitFor();
    await page.locator('.tab.active.dirty').waitFor();
    await page.keyboard.press('ControlOrMeta+S');
    await page.locator('.tab.active:not(.dirty)').waitFor();
    const [first, second, third] = notebook.cells;
    const source = ['print(sum(readings) / len(readings))'];
    const changed = { ...third, execution_count: null, source };
    const after = { ...notebook, cells: [first, second, changed] };
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), after);
  });
});

function lens({ workbench }: Journey, title: string): Locator {
  return workbench.page.locator('.codelens-decoration a', { hasText: new RegExp(`${title}$`) });
}

function line({ workbench }: Journey, text: string): Locator {
  return workbench.page.locator('.view-line', { hasText: text }).first();
}
