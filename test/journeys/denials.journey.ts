import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { modelSaying } from '../support/modelSaying.ts';
import { withoutCommands } from './support/reasons.ts';

const edits = [{ search: 'return (celsius * 9) / 5 + 32;', replace: 'return 0;' }];
const editing = modelSaying(
  [['edit_file', { path: 'src/temperature.ts', edits }]],
  'Then I leave the formula as it is.',
);
const running = modelSaying([['run_command', { command: 'npm run deploy' }]], 'Not before Monday.');

describe('journey: denials', () => {
  journey('deny an edit with a reason', { service: { script: editing } }, async (walk) => {
    const { workbench, panel, picture, workspace } = walk;
    const file = join(workspace, 'src/temperature.ts');
    const before = await readFile(file, 'utf8');
    await connect(walk);
    await panel.ask('Make it simpler.');
    const call = panel.calls('edit_file').first();
    await call.getByRole('button', { name: 'Give a Reason…' }).click();
    await panel.menuItem('Deny with Reason…').waitFor();
    await picture('1-more-ways-to-deny');
    await panel.menuItem('Deny with Reason…').click();
    const field = call.getByRole('textbox', { name: 'Reason for the model' });
    await field.fill('The formula is right.');
    await picture('2-says-why');
    await workbench.page.keyboard.press('Enter');
    await panel.settled();
    await call.getByText('Reason: The formula is right.').first().waitFor();
    await picture('3-denied-with-the-reason');
    assert.match(JSON.stringify(lastRequest(walk)), /Their reason: The formula is right\./);
    assert.equal(await readFile(file, 'utf8'), before);
  });

  journey('deny without a reason', { service: { script: editing } }, async (walk) => {
    const { workbench, panel } = walk;
    await connect(walk);
    await panel.ask('Make it simpler.');
    const call = panel.calls('edit_file').first();
    await call.getByRole('button', { name: 'Give a Reason…' }).click();
    await panel.menuItem('Deny with Reason…').click();
    await call.getByRole('textbox', { name: 'Reason for the model' }).waitFor();
    // Escape closes the field without stopping the reply.
    await workbench.page.keyboard.press('Escape');
    await call.getByRole('button', { name: 'Give a Reason…' }).click();
    await panel.menuItem('Deny with Reason…').click();
    await call.getByRole('textbox', { name: 'Reason for the model' }).press('Enter');
    await panel.settled();
    await panel.replies.first().getByText('Then I leave the formula').waitFor();
    assert.equal(await call.getByText('Reason:').count(), 0);
  });

  journey(
    'deny a command with a reason',
    { service: { script: running }, not: withoutCommands },
    async (walk) => {
      const { workbench, panel, picture } = walk;
      await connect(walk);
      await panel.ask('Deploy it.');
      await workbench.dialog.getByText('npm run deploy').waitFor();
      await picture('1-asks-in-a-dialog');
      await decide(walk, 'Give a Reason…');
      await workbench.quickInput.locator('input.input').fill('We deploy on Mondays.');
      await picture('2-says-why');
      await workbench.page.keyboard.press('Enter');
      await panel.settled();
      await panel.calls('run_command').first().getByText('We deploy on Mondays.').first().waitFor();
      assert.match(JSON.stringify(lastRequest(walk)), /Their reason: We deploy on Mondays\./);
    },
  );
});
