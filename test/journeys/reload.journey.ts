import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';

const essay = 'Write 3000 words about weather stations.';

describe('journey: nothing that was shown is lost', () => {
  journey('reload the window while a reply comes', { service: { pace: 15 } }, async (walk) => {
    const { workbench, panel, picture } = walk;
    await connect(walk);
    await panel.ask('Hello');
    await panel.settled();
    await panel.ask(essay);
    await panel.longerThan(panel.replies.nth(1), 300);
    await picture('1-before');
    const before = await panel.words(panel.replies.nth(1));

    await workbench.reload();
    await panel.show();
    await panel.replies.nth(1).waitFor();
    const after = await panel.words(panel.replies.nth(1));
    assert.equal(await panel.questions.count(), 2);
    assert.ok(after.startsWith(before.slice(0, 200)), 'The text before the reload is gone.');
    await panel.button('Continue').waitFor();
    await picture('2-after');
    await panel.ask('Hello again');
    await panel.settled();
  });

  journey('send the key by mistake right after a reload', {}, async (walk) => {
    const { workbench, panel, key, service } = walk;
    await connect(walk);
    const before = service.requests.length;
    await workbench.reload();
    await panel.show();
    await panel.input.fill(`My key is ${key}`);
    await panel.input.press('Enter');
    await panel.alert
      .filter({ hasText: 'This message or an attachment contains your API key' })
      .waitFor();
    assert.equal(await panel.questions.count(), 0);
    assert.equal(service.requests.length, before);
  });

  journey('hide the panel while a reply comes', { service: { pace: 15 } }, async (walk) => {
    const { workbench, panel } = walk;
    await connect(walk);
    await panel.ask(essay);
    await panel.longerThan(panel.replies.first(), 100);
    await panel.input.fill('not sent yet');
    await workbench.showContainer('Explorer');
    await panel.transcript.waitFor({ state: 'detached' });
    await panel.show();
    await panel.longerThan(panel.replies.first(), 300);
    assert.equal(await panel.input.inputValue(), 'not sent yet');
    await panel.button('Stop').click();
    await panel.settled();
  });
});
