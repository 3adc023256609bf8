import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
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
      await typeThrough(walk);
      await readLong(walk);
      await readTooLong(walk);
      await allowAlways(walk);
      await manage(walk);
    },
  );
});

/** A key that was meant for something else allows nothing, and Escape denies. */
async function typeThrough(walk: Journey): Promise<void> {
  const { workbench, panel, workspace } = walk;
  const made = join(workspace, 'made.txt');
  // On a busy machine, the press may take so long that it counts as a response.
  for (let tries = 1; !(await isReopened(walk)); tries += 1) {
    assert.ok(tries < 3, 'Each press counted as a response.');
    await rm(made);
  }
  await workbench.dialog.getByText('echo made > made.txt').waitFor();
  await workbench.dialog.getByText('Your last response came too quickly').waitFor();
  await escape(walk);
  await panel.settled();
  assert.equal(existsSync(made), false, 'A key that was typed ran it.');
  assert.match(lastRequest(walk).results.at(-1) ?? '', /The person denied this/);
}

/** Presses a key in the dialog at once. True if the dialog opens again, false if the command ran. */
async function isReopened(walk: Journey): Promise<boolean> {
  const { panel } = walk;
  const before = await panel.replies.count();
  const reopened = pressAtOnce(walk).then(() => true);
  await panel.ask('Make it.');
  const reply = panel.replies.nth(before).getByText('It was not made.');
  return await Promise.race([reopened, reply.waitFor().then(() => false)]);
}

/**
 * Clicks the focused button of the next dialog in the frame in which it gets focus, like a person
 * who is typing and presses Enter. Resolves when the dialog opens again.
 */
function pressAtOnce({ workbench }: Journey): Promise<void> {
  return workbench.page.evaluate(async () => {
    let pressed: Element | undefined;
    for (;;) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const dialog = document.querySelector('.monaco-dialog-box') ?? pressed;
      if (dialog === pressed) continue;
      if (pressed !== undefined) return;
      const focused = document.activeElement;
      if (!(focused instanceof HTMLElement) || dialog?.contains(focused) !== true) continue;
      pressed = dialog;
      focused.click();
    }
  });
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
  // The use is stored after the call, and the list doesn't follow it.
  while (!(await grant.getByText('used once').isVisible())) {
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
