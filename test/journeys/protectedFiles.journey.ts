import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { decide, escape } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { modelAnswering } from '../support/modelSaying.ts';
import { hostName, hosts } from '../support/vscode/hosts.ts';

const denied = /The person denied this/;
const hello = [['sample_echo', { text: 'hello', confirmed: true }]] as const;

const script = modelAnswering({
  'Set it up.': [
    [['create_file', { path: '.vscode/settings.json', content: '{\n  "a.b": true\n}\n' }]],
    'It was not set up.',
  ],
  'Change the notes.': [
    [['edit_file', { path: '../notes.txt', edits: [{ search: 'mine', replace: 'yours' }] }]],
    'They were not changed.',
  ],
  'Say hello.': [hello, 'It was said.'],
});

describe('journey: protected files', () => {
  journey(
    'an edit that needs a dialog',
    { foreignTools: true, service: { script } },
    async (walk) => {
      await connect(walk);
      await denyProtected(walk);
      // A virtual folder has no parent.
      if (!hosts[hostName].isVirtual) await denyOutside(walk);
      await useForeignTool(walk);
    },
  );
});

async function denyProtected(walk: Journey): Promise<void> {
  const { workbench, panel, picture, workspace } = walk;
  await panel.ask('Set it up.');
  await workbench.dialog.getByText('Allow a change to a protected file?').waitFor();
  await workbench.dialog.getByText('"a.b": true').waitFor();
  assert.equal(await panel.button('Allow Once').count(), 0, 'The panel must not decide this.');
  await picture('1-a-protected-file');
  await escape(walk);
  await panel.settled();
  assert.equal(existsSync(join(workspace, '.vscode')), false);
  assert.match(lastRequest(walk).results.at(-1) ?? '', denied);
}

/** Reading and changing a file need separate approvals. */
async function denyOutside(walk: Journey): Promise<void> {
  const { workbench, panel, picture, workspace } = walk;
  const notes = join(workspace, '../notes.txt');
  await writeFile(notes, 'These are mine.\n');
  await panel.ask('Change the notes.');
  await workbench.dialog.getByText('Allow the model to read outside the workspace?').waitFor();
  await decide(walk, 'Allow Once');
  await workbench.dialog.getByText('Allow a change to a file outside the workspace?').waitFor();
  await picture('2-a-file-outside');
  await escape(walk);
  await panel.settled();
  assert.equal(await readFile(notes, 'utf8'), 'These are mine.\n');
  assert.match(lastRequest(walk).results.at(-1) ?? '', denied);
}

/** The sample tool needs no approval, and its card says "confirmed". */
async function useForeignTool(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  assert.equal(lastRequest(walk).tools.includes('sample_echo'), false, 'Nobody ticked it.');
  await workbench.command('Aside: Manage Tools…');
  await workbench.tick('sample_echo');

  await panel.ask('Say hello.');
  await workbench.dialog.getByText('Run “sample_echo”, a tool from another extension?').waitFor();
  assert.ok(lastRequest(walk).tools.includes('sample_echo'));
  await workbench.dialog.getByText('"text": "hello"').waitFor();
  await picture('3-a-tool-of-others');
  await decide(walk, 'Deny');
  await panel.settled();
  assert.match(lastRequest(walk).results.at(-1) ?? '', denied);

  await panel.ask('Say hello.');
  await decide(walk, 'Allow Once');
  await panel.settled();
  assert.match(lastRequest(walk).results.at(-1) ?? '', /You said: hello/);
}
