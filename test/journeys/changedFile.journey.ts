import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { modelAnswering } from '../support/modelSaying.ts';
import { press } from './support/press.ts';

const path = 'docs/stations.md';
const first = [{ search: 'One station in the north.', replace: 'One station.' }];
const later = [{ search: 'Two stations in the north', replace: 'Two stations' }];

const script = modelAnswering({
  'Shorten it.': [
    [['read_file', { path }]],
    [['edit_file', { path, edits: first }]],
    'It was not shortened.',
  ],
  'Shorten it now.': [[['edit_file', { path, edits: later }]], 'It was not shortened.'],
});
const settings = { 'files.autoSave': 'off' };

describe('journey: a file that changes under the model', () => {
  journey('edit a file that is gone', { settings, service: { script } }, async (walk) => {
    await writeFile(join(walk.workspace, path), 'One station in the north.\n');
    await connect(walk);
    await betweenReadAndEdit(walk);
    await betweenDiffAndDecision(walk);
    await inEditor(walk);
  });
});

async function betweenReadAndEdit(walk: Journey): Promise<void> {
  const { panel, picture, service, workspace } = walk;
  const file = join(workspace, path);
  const before = service.requests.length;
  const changing = service.onRequest(() => {
    // This request has the result of the read; its reply is the edit.
    if (service.requests.length === before + 2) writeFileSync(file, 'One station in the east.\n');
  });
  await panel.ask('Shorten it.');
  await panel.settled();
  changing.dispose();
  await picture('1-does-not-fit-any-more');
  assert.equal(await readFile(file, 'utf8'), 'One station in the east.\n');
  const [readResult, failure] = lastRequest(walk).results;
  assert.match(readResult ?? '', /in the north/);
  assert.match(failure ?? '', /in the east/, 'The model learns what stands there now.');
}

async function betweenDiffAndDecision(walk: Journey): Promise<void> {
  const { workbench, panel, picture, workspace } = walk;
  const file = join(workspace, path);
  await writeFile(file, 'Two stations in the north.\n');
  await panel.ask('Shorten it now.');
  await panel.button('Review Diff').click();
  await workbench.page.locator('.monaco-diff-editor').first().waitFor();
  await writeFile(file, 'Two stations in the north, and mine.\n');
  await press(panel.button('Allow Once'));
  await panel.settled();
  await picture('2-changed-beside-its-diff');
  assert.equal(await readFile(file, 'utf8'), 'Two stations in the north, and mine.\n');
  assert.match(lastRequest(walk).results.at(-1) ?? '', /has changed since/);
}

/** Unsaved changes of the person are neither saved nor lost. */
async function inEditor(walk: Journey): Promise<void> {
  const { workbench, panel, workspace } = walk;
  await workbench.openFile('stations.md');
  await panel.ask('Shorten it now.');
  await panel.button('Allow Once').waitFor();
  await workbench.page.locator('.editor-instance .view-line').first().click();
  await workbench.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  await workbench.page.keyboard.press('ControlOrMeta+Home');
  await workbench.page.keyboard.insertText('Mine: ');
  await workbench.page.locator('.tab.active.dirty', { hasText: 'stations.md' }).waitFor();
  await press(panel.button('Allow Once'));
  await panel.settled();
  assert.match(lastRequest(walk).results.at(-1) ?? '', /has changed since/);
  const lines = workbench.page.locator('.editor-instance .view-line');
  assert.match(await lines.first().innerText(), /^Mine:\sTwo\sstations\sin/);
  assert.doesNotMatch(await readFile(join(workspace, path), 'utf8'), /Mine:/);
}
