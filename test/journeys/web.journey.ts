import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelSaying } from '../support/modelSaying.ts';
import { connect } from './support/connect.ts';
import { journey, usageItem } from './support/journey.ts';

/** Moves Aside into the extension host of a browser, which has no Node. */
const settings = { 'remote.extensionKind': { 'aside-chat.aside': ['web'] } };

const old = 'return (celsius * 9) / 5 + 32;';
const script = modelSaying(
  [
    ['list_files', {}],
    ['search_text', { query: 'celsius' }],
    ['read_file', { path: 'src/temperature.ts' }],
  ],
  [
    [
      'edit_file',
      { path: 'src/temperature.ts', edits: [{ search: old, replace: 'return celsius;' }] },
    ],
  ],
  'It is as you wanted it.',
);

describe('journey: the web', () => {
  journey('the demo without Node', { settings }, async ({ workbench, panel, picture, service }) => {
    await panel.showEmpty();
    await panel.button('Try the Demo').click();
    await panel.button(/^Model: ./).waitFor();
    await panel.ask('What can you do?');
    await panel.settled();
    await panel.replies.first().getByText('Aside').first().waitFor();
    await workbench.statusItem(usageItem).getByText(/\d/).waitFor();
    await picture('1-answered');
    await workbench.reload();
    await panel.show();
    await panel.replies.first().getByText('Aside').first().waitFor();
    await picture('2-still-there');
    assert.deepEqual(service.requests, [], 'The demo went over the network.');
  });

  journey('tools and an edit without Node', { settings, service: { script } }, async (walk) => {
    const { panel, picture, workspace } = walk;
    await connect(walk);
    await panel.ask('Make it simpler.');
    const edit = panel.calls('edit_file');
    await edit.getByRole('button', { name: 'Allow Once' }).waitFor();
    await picture('1-asks-for-an-edit');
    await edit.getByRole('button', { name: 'Allow Once' }).click();
    await panel.settled();
    await panel.replies.first().getByText('as you wanted').waitFor();
    await picture('2-answered');
    assert.match(await readFile(join(workspace, 'src/temperature.ts'), 'utf8'), /return celsius;/);
  });
});
