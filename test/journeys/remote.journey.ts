import assert from 'node:assert/strict';
import { hostname, userInfo } from 'node:os';
import type { Locator } from 'playwright-core';
import { modelSaying } from '../support/modelSaying.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { Panel } from './support/panel.ts';
import { withoutCommands } from './support/reasons.ts';

const script = modelSaying([['run_command', { command: 'hostname' }]], 'It has a name.');

/** A VS Code server is a remote window: its files, commands and network are those of the server. */
describe('journey: a remote window', () => {
  journey('drag a file from the explorer', { freshWindow: true }, async (walk) => {
    const { workbench, picture, service } = walk;
    await connect(walk);
    const tab = new Panel(workbench, 'editor');
    await workbench.command('Aside: Open Chat in Editor');
    await tab.input.waitFor();
    await workbench.showContainer('Explorer');
    await explorerRow(walk, 'server').click();
    await drag(walk, explorerRow(walk, 'report.py'), tab.input);
    await tab.button('Remove report.py').waitFor();
    await picture('dragged');
    await tab.ask('What does it do?');
    await tab.settled();
    assert.match(JSON.stringify(service.requests.at(-1)?.body), /def spread/);
  });

  const options = { service: { script }, not: withoutCommands };
  journey(
    'use a service and run a command on the remote machine',
    { ...options, freshWindow: true },
    async (walk) => {
      const { workbench, panel, picture, baseUrl } = walk;
      await connect({ ...walk, baseUrl: baseUrl.replace('127.0.0.1', 'localhost') });
      await panel.ask('What is the name of the machine?');
      await workbench.dialog.waitFor();
      const words = await workbench.dialog.innerText();
      assert.ok(words.includes(`as ${userInfo().username} on ${hostname()}`), words);
      await picture('command');
      await decide(walk, 'Allow Once');
      await panel.settled();
      assert.ok((lastRequest(walk).results.at(-1) ?? '').includes(hostname()));
    },
  );
});

function explorerRow({ workbench }: Journey, name: string): Locator {
  return workbench.page
    .locator('.explorer-folders-view .monaco-list-row')
    .filter({ has: workbench.page.getByText(name, { exact: true }) });
}

/** VS Code lets a webview handle a drop only while Shift is held. */
async function drag({ workbench }: Journey, from: Locator, to: Locator): Promise<void> {
  const { keyboard, mouse } = workbench.page;
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  assert.ok(start !== null && end !== null);
  await mouse.move(start.x + 40, start.y + start.height / 2);
  await mouse.down();
  await mouse.move(end.x - 100, end.y, { steps: 4 });
  await keyboard.down('Shift');
  await mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 8 });
  await mouse.up();
  await keyboard.up('Shift');
}
