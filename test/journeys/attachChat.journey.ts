import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { pricedModels } from './support/pricedModels.ts';

const name = 'Chat: Which clouds bring rain?';

describe('journey: attach an earlier chat', () => {
  journey('attach an earlier chat', { settings: pricedModels }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.ask('Which clouds bring rain?');
    await panel.settled();
    const [word = ''] = /\w{4,}/.exec(await panel.words(panel.replies.first())) ?? [];
    await workbench.command('Aside: New Chat');
    await panel.messages.first().waitFor({ state: 'detached' });
    await panel.ask('What is snow?');
    await panel.settled();

    await panel.input.pressSequentially('Compare @cha');
    await panel.option(/^chat…/).waitFor();
    await picture('1-chat');
    await panel.input.pressSequentially('t');
    await panel.option(/^Which clouds/).waitFor();
    assert.equal(await panel.option(/^What is snow/).count(), 0, 'The open chat is not earlier.');
    await picture('2-chats');
    await panel.input.pressSequentially(' bring ra');
    await panel.option(/^Which clouds/).waitFor();
    await panel.frame.getByRole('listbox').getByRole('option').nth(1).waitFor({ state: 'hidden' });
    await picture('3-found');
    await panel.input.press('Enter');
    await panel.button(`Remove ${name}`).waitFor();
    assert.equal(await panel.input.inputValue(), 'Compare ');
    const chip = panel.frame.locator('.chip.attachment', { hasText: 'Chat:' });
    await chip.locator('.chip-tokens').waitFor();
    await picture('4-attached');

    await chip.locator('.chip-open').click();
    await workbench.page.locator('.tab.active', { hasText: 'Which clouds' }).waitFor();
    const lines = workbench.page.locator('.editor-instance .view-line');
    await lines.filter({ hasText: /User/ }).first().waitFor();
    await picture('5-shown');

    await workbench.reload();
    await panel.show();
    await panel.button(`Remove ${name}`).waitFor();
    await panel.ask('Compare both.');
    await panel.settled();
    const sent = lastSent(walk);
    assert.match(sent, /Chat: Which clouds bring rain\?:[^]*## User[^]*Which clouds bring rain/);
    assert.ok(sent.includes(word), 'The reply is attached, too.');
    await panel.messages.last().getByText('Chat: Which').first().waitFor();
    await picture('6-sent');

    // The same from the list of the button.
    await panel.button('Attach…').click();
    await workbench.pick('chat…');
    await workbench.quickInput.getByText('Attach Chat').waitFor();
    await picture('7-list');
    await workbench.pick('Which clouds bring rain?');
    await panel.button(`Remove ${name}`).waitFor();
  });
});

function lastSent({ service }: Journey): string {
  return JSON.stringify(service.requests.findLast(({ method }) => method === 'POST')?.body);
}
