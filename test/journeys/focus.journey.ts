import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';

describe('journey: the focus', () => {
  journey('stays where the person moves it', {}, async (walk) => {
    const { workbench, panel, picture } = walk;
    const { keyboard } = workbench.page;
    await connect(walk);
    for (const text of ['Hello', 'Hello again']) {
      await panel.input.fill(text);
      await panel.input.press('Enter');
      await findFile(walk, text);
    }
    await panel.input.press('Escape');
    await findFile(walk, 'Escape');
    await panel.settled();
    await panel.button('Attach…').click();
    await workbench.quickInput.getByText('Files and Folders…').waitFor();
    await keyboard.press('Escape');
    await panel.frame.locator('.message-field:focus').waitFor();
    await picture('1-back');
    await keyboard.insertText('written where the focus is');
    assert.equal(await panel.input.inputValue(), 'written where the focus is');
    for (const open of [
      () => keyboard.press('Control+Alt+M'),
      () => panel.button(/^Model: /).click(),
      () => panel.button(/^Mode: /).click(),
    ]) {
      await panel.input.fill('');
      await open();
      await workbench.rows.first().waitFor();
      await keyboard.press('Escape');
      await workbench.quickInput.waitFor({ state: 'hidden' });
      await panel.frame.locator('.message-field:focus').waitFor();
      await keyboard.type('typed', { delay: 50 });
      assert.equal(await panel.input.inputValue(), 'typed');
    }
    await picture('2-back-from-lists');
  });
});

/** Opens Quick Open as soon as keys are accepted, and closes it without opening a file. */
async function findFile({ workbench }: Journey, after: string): Promise<void> {
  const { keyboard } = workbench.page;
  await keyboard.press('ControlOrMeta+P');
  await workbench.quickInput.waitFor();
  await keyboard.type('temper', { delay: 50 });
  await workbench.rows.filter({ hasText: 'temperature.ts' }).first().waitFor();
  const typed = await workbench.quickInput.locator('input.input').inputValue();
  assert.equal(typed, 'temper', `after ${after}`);
  await keyboard.press('Escape');
  await workbench.quickInput.waitFor({ state: 'hidden' });
}
