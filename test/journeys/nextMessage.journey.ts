import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { chooseMode } from './support/chooseMode.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';

/** The narrowest window that VS Code allows. */
const size = { width: 592, height: 700 };
const lines = Array.from({ length: 120 }, (_, index) => `2026-03-01 station ${index} ok`).join(
  '\n',
);

async function paste(field: Locator, text: string): Promise<void> {
  await field.focus();
  await field.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const init = { clipboardData, bubbles: true, cancelable: true };
    element.dispatchEvent(new ClipboardEvent('paste', init));
  }, text);
}

/** Fails if something overflows the panel horizontally. */
async function requireFit({ panel }: Journey): Promise<void> {
  const root = panel.frame.locator('.panel');
  const hidden = await root.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  assert.ok(hidden <= 0, `${hidden} pixels are cut off`);
}

function lastSent({ service }: Journey): string {
  return JSON.stringify(service.requests.at(-1)?.body);
}

describe('journey: the next message', () => {
  journey('change queued messages', { size }, async (walk) => {
    const { panel, service } = walk;
    const rows = panel.frame.locator('.queued-text');
    await connect(walk);
    service.faults.push({ kind: 'stall', after: 40 });
    await panel.ask('What can you do?');
    const messages = ['Which station is the coldest of all?', 'And the warmest?', 'Thank you'];
    for (const [index, message] of messages.entries()) {
      await panel.input.fill(message);
      await panel.input.press('Enter');
      await rows.nth(index).waitFor();
    }
    await walk.picture('1-queued');
    await requireFit(walk);

    await panel.button('Move Queued Message 3 Up').click();
    await rows.nth(1).filter({ hasText: 'Thank you' }).waitFor();
    await panel.input.page().keyboard.press('Alt+ArrowUp');
    await rows.nth(0).filter({ hasText: 'Thank you' }).waitFor();
    await panel.input.page().keyboard.press('Alt+ArrowDown');
    await rows.nth(1).filter({ hasText: 'Thank you' }).waitFor();

    await panel.input.fill('Typed before');
    await panel.button('Edit Queued Message 3').click();
    await panel.frame.locator('.composer-box.editing').waitFor();
    assert.equal(await panel.input.inputValue(), 'And the warmest?');
    await walk.picture('2-edited');
    await requireFit(walk);
    await panel.input.press('Escape');
    await panel.frame.locator('.composer-box.editing').waitFor({ state: 'hidden' });
    assert.equal(await panel.input.inputValue(), 'Typed before');
    assert.ok(await panel.button('Stop').isVisible(), 'Escape stopped the reply.');
    await panel.button('Edit Queued Message 3').click();
    await panel.frame.locator('.composer-box.editing').waitFor();
    await panel.input.fill('And the windiest?');
    await panel.input.press('Enter');
    await rows.nth(2).filter({ hasText: 'windiest' }).waitFor();
    assert.equal(await panel.input.inputValue(), 'Typed before');

    await panel.button('Stop').click();
    await panel.settled();
    await panel.input.fill('');
    await panel.button('Send').click();
    await rows.first().waitFor({ state: 'detached' });
    await panel.settled();
    const sentMessages = await panel.messages.locator('.question-text').allInnerTexts();
    assert.deepEqual(sentMessages, [
      'What can you do?',
      'Which station is the coldest of all?',
      'Thank you',
      'And the windiest?',
    ]);
  });

  journey('paste, edit and send without tools', {}, async (walk) => {
    const { panel } = walk;
    const chip = panel.frame.locator('.composer-box .chip.attachment');
    await connect(walk);
    const before = await panel.cost.innerText();
    await walk.picture('1-with-tools');
    await chooseMode(walk, 'Chat');
    await panel.cost.filter({ hasNotText: before }).waitFor();
    await walk.picture('2-without-tools');

    await panel.input.fill('Why? ');
    await paste(panel.input, lines);
    await chip.waitFor();
    assert.equal(await panel.input.inputValue(), 'Why? ');
    await walk.picture('3-pasted');
    await requireFit(walk);
    await panel.input.press('Control+z');
    await chip.waitFor({ state: 'detached' });
    assert.equal(await panel.input.inputValue(), `Why? ${lines}`);
    await panel.input.fill('Why? ');
    await paste(panel.input, lines);
    await panel.button('Insert Pasted text (120 lines) as Text').click();
    await chip.waitFor({ state: 'detached' });
    assert.equal(await panel.input.inputValue(), `Why? ${lines}`);
    await panel.input.fill('Why? ');
    await paste(panel.input, lines);
    await panel.input.press('Enter');
    await panel.messages.first().waitFor();
    await panel.settled();
    assert.match(lastSent(walk), /Pasted text \(120 lines\):[^]*station 119/);
    assert.doesNotMatch(lastSent(walk), /"tools"/);

    await panel.messages.first().hover();
    await panel.button('Edit Message').click();
    const edited = panel.frame.getByRole('textbox', { name: 'Edited Message' });
    await panel.frame.locator('.edited-foot .cost').waitFor();
    await edited.pressSequentially(' @temper');
    await panel.option(/^temperature\.ts/).waitFor();
    await walk.picture('4-completions');
    await edited.press('Enter');
    await panel.button('Remove temperature.ts').waitFor();
    await walk.picture('5-attachments');
    await requireFit(walk);
    await panel.button('Remove Pasted text (120 lines)').click();
    await panel.button('Remove Pasted text (120 lines)').waitFor({ state: 'detached' });
    await edited.press('Enter');
    // A version exists once its turn starts, but versions can be switched only after it has ended.
    await panel.frame.getByText('2 of 2').first().waitFor();
    await panel.settled();
    assert.match(lastSent(walk), /temperature\.ts/);
    assert.doesNotMatch(lastSent(walk), /station 119/);
    await panel.button('Previous Version').first().click();
    await panel.messages.getByText('Pasted text (120 lines)').waitFor();
  });
});
