import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { decide, escape } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { modelAnswering } from '../support/modelSaying.ts';
import { withoutCommands } from './support/reasons.ts';

const places = ['north', 'south', 'east', 'west', 'harbour', 'summit', 'valley', 'island'];

/** A long command that the dialog can still show in full. */
const long = places.map(
  (station) => `echo "the ${station} station measures every minute of the day" >> log.txt`,
);
const tooLong = [...long, ...long].join(' && ');
const repeatable = 'node --version';

const commands = modelAnswering({
  'Make it.': [[['run_command', { command: 'echo made > made.txt' }]], 'It was not made.'],
  'Write them all.': [[['run_command', { command: long.join(' && ') }]], 'They are written.'],
  'Write them twice.': [[['run_command', { command: tooLong }]], 'They are not written.'],
  'Check it.': [[['run_command', { command: repeatable }]], 'It was checked.'],
});

describe('journey: approval of commands', () => {
  journey(
    'review a command before it runs',
    { service: { script: commands }, not: withoutCommands },
    async (walk) => {
      await connect(walk);
      await escapes(walk);
      await readLong(walk);
      await readTooLong(walk);
      await allowAlways(walk);
      await manage(walk);
    },
  );
});

/** Escape denies. */
async function escapes(walk: Journey): Promise<void> {
  const { workbench, panel, workspace } = walk;
  await panel.ask('Make it.');
  await workbench.dialog.getByText('echo made > made.txt').waitFor();
  await escape(walk);
  await panel.settled();
  assert.equal(existsSync(join(workspace, 'made.txt')), false);
  assert.match(lastRequest(walk).results.at(-1) ?? '', /The person denied this/);
}

async function readLong(walk: Journey): Promise<void> {
  const { workbench, panel, picture, workspace } = walk;
  const command = long.join(' && ');
  assert.ok(command.length > 500);
  await panel.ask('Write them all.');
  await workbench.dialog.getByText('the north station').waitFor();
  await picture('1-long-command');
  const said = await workbench.dialog.innerText();
  assert.ok(said.includes(command), `The dialog does not say the command. It says:\n${said}`);
  assert.equal(await workbench.dialogButton('Always Allow in This Workspace').count(), 0);
  await decide(walk, 'Allow Once');
  await panel.settled();
  const result = lastRequest(walk).results.at(-1) ?? '';
  assert.ok(existsSync(join(workspace, 'log.txt')), `Nothing was written: ${result}`);
  const log = await readFile(join(workspace, 'log.txt'), 'utf8');
  assert.equal(log.trim().split('\n').length, places.length);
}

/** The editor shows commands that are too long for the dialog. */
async function readTooLong(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  await panel.ask('Write them twice.');
  await workbench.dialog.getByText('The full text is open in the editor.').waitFor();
  await workbench.page.locator('.view-line', { hasText: 'island' }).nth(1).waitFor();
  await picture('2-too-long-for-the-dialog');
  await decide(walk, 'Preview');
  await workbench.toast('Run this command in').waitFor();
  await picture('3-looked-at-first');
  await workbench.page.locator('.tab.active', { hasText: 'Full Text' }).waitFor();
  await workbench.toastButton('Run this command in', 'Review…').click();
  await decide(walk, 'Deny');
  await panel.settled();
}

async function allowAlways(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  const calls = panel.calls('run_command');
  await panel.ask('Check it.');
  await workbench.dialog.getByText(repeatable).waitFor();
  await picture('4-may-be-allowed-always');
  await decide(walk, 'Always Allow in This Workspace');
  await panel.settled();
  const before = await calls.count();
  await panel.ask('Check it.');
  await panel.settled();
  assert.equal(await calls.count(), before + 1);
  await calls.last().locator('summary').click();
  await calls.last().getByText(`This workspace can always run ${repeatable}`).first().waitFor();
  await picture('5-ran-under-a-grant');
}

/** Removes grants by hand, and turns off a tool, which is then no longer offered. */
async function manage(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  assert.ok(lastRequest(walk).tools.includes('rename_symbol'));
  const grant = workbench.rows.filter({ hasText: `This workspace can always run ${repeatable}` });
  const open = async (): Promise<void> => {
    await workbench.command('Aside: Manage Tools…');
    await workbench.quickInput.locator('input.input').fill('This workspace can');
    await grant.waitFor();
  };
  await open();
  // The use is stored after the call, and the list doesn't follow it. A call whose approval took
  // long is looked at again, and then runs under the grant, too.
  const used = grant.getByText(/used (?:once|[1-9]\d* times)/);
  for (let tries = 0; !(await used.isVisible()); tries++) {
    assert.ok(tries < 20, `The use is not in the list: ${await grant.innerText()}`);
    await workbench.page.keyboard.press('Escape');
    await open();
  }
  await picture('6-what-is-approved');
  await grant.hover();
  await grant.getByRole('button', { name: 'Revoke' }).click();
  await grant.waitFor({ state: 'detached' });
  await workbench.tick('Rename Symbol');
  await panel.ask('Check it.');
  await workbench.dialog.getByText(repeatable).waitFor();
  await decide(walk, 'Give a Reason…');
  await workbench.quickInput.locator('input.input').fill('Not today.');
  await workbench.page.keyboard.press('Enter');
  await panel.settled();
  assert.match(lastRequest(walk).results.at(-1) ?? '', /Their reason: Not today\./);
  assert.equal(lastRequest(walk).tools.includes('rename_symbol'), false);
}
