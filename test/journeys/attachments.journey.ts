import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { pricedModels } from './support/pricedModels.ts';

/** The narrowest window that VS Code allows. */
const narrow = { width: 592, height: 700 };

describe('journey: attach', () => {
  journey('choose attachments', { settings: pricedModels }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.cost.filter({ hasText: /^[≈<]\$/ }).waitFor();
    await panel.input.pressSequentially('Describe @temper');
    await panel.option(/^temperature\.ts/).waitFor();
    await picture('1-found');
    await panel.input.press('Enter');
    const chip = panel.button('Remove temperature.ts');
    await chip.waitFor();
    assert.equal(await panel.input.inputValue(), 'Describe ');
    await picture('2-attached');

    await workbench.openFile('report.py');
    await workbench.selectLines(13, 14);
    const offered = panel.button('Attach report.py:13-14');
    const tokens = await offered.locator('.chip-tokens').innerText();
    await offered.click();
    const lines = panel.frame.locator('.chip.attachment', { hasText: 'report.py:13-14' });
    await lines.locator('.chip-tokens').waitFor();
    assert.equal(await lines.locator('.chip-tokens').innerText(), tokens, 'It said another price.');
    await picture('3-with-the-selection');
    await panel.ask('What do these do?');
    await panel.settled();
    await chip.waitFor({ state: 'hidden' });
    assert.match(lastSent(walk), /toFahrenheit[^]*def spread/);
    await picture('4-answered');

    await panel.input.pressSequentially('@temper');
    await panel.option(/^temperature\.ts/).click();
    await panel.frame.getByText('Already sent').waitFor();
    await picture('5-sent-already');
    await panel.ask('And now?');
    await panel.settled();
    assert.equal(lastSent(walk).split('return (celsius * 9) / 5 + 32').length, 2, 'Sent twice.');

    await workbench.page.setViewportSize(narrow);
    await panel.input.pressSequentially('@');
    await panel.option(/^problems/).waitFor();
    await picture('6-narrow');
    await panel.input.press('Escape');
    await panel.option(/^problems/).waitFor({ state: 'hidden' });
    assert.equal(await panel.input.inputValue(), '@');
  });

  journey('secrets and large files', { settings: pricedModels }, async (walk) => {
    const { workbench, workspace, panel, picture } = walk;
    await writeFile(join(workspace, '.env'), 'WEATHER_STATION=harbour\n');
    const code = Array.from({ length: 6000 }, (_, day) => `export const day${day} = ${day};\n`);
    await writeFile(join(workspace, 'calendar.ts'), code.join(''));
    await connect(walk);
    const choose = async (name: string): Promise<void> => {
      await panel.input.pressSequentially(`@${name}`);
      await panel.option(name).waitFor();
      await panel.input.press('Enter');
    };
    await choose('.env');
    await workbench.dialog.getByText('It may contain secrets').waitFor();
    await picture('1-asked');
    await decide(walk, 'Cancel');
    await choose('.env');
    await decide(walk, 'Attach');
    await panel.button('Remove .env').waitFor();
    assert.equal(await panel.button('Remove .env').count(), 1, 'Attached without a yes.');

    await choose('calendar.ts');
    await workbench.quickInput.getByText('too large to attach in full').waitFor();
    await picture('2-parts');
    await workbench.tick('Lines 501–1000');
    await panel.button('Remove calendar.ts:501-1000').waitFor();
    await panel.input.pressSequentially('/');
    await panel.option(/^explain/).waitFor();
    await picture('3-commands');
  });
});

function lastSent({ service }: Journey): string {
  return JSON.stringify(service.requests.findLast(({ method }) => method === 'POST')?.body);
}
