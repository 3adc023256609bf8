import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { press } from './support/press.ts';

const essay = 'Write 3000 words about weather stations.';

describe('journey: stopping', () => {
  journey('stop a long reply and continue it', { service: { pace: 20 } }, async (walk) => {
    const { panel, picture, service } = walk;
    await connect(walk);
    await panel.ask(essay);
    const reply = panel.replies.first();
    await panel.longerThan(reply, 150);
    await picture('1-streaming');
    await panel.button('Stop').click();
    await panel.settled();
    await panel.button('Continue').waitFor();
    await picture('2-stopped');
    const beginning = (await panel.words(reply)).slice(0, 150);
    assert.equal(service.requests.at(-1)?.aborted, true, 'The service was not told.');

    await press(panel.button('Continue'));
    await panel.longerThan(reply, 600);
    await panel.button('Stop').click();
    await panel.settled();
    assert.equal(await panel.replies.count(), 1, 'It goes on in the same article.');
    assert.ok((await panel.words(reply)).startsWith(beginning), 'What was kept has changed.');
    const sent = JSON.stringify(service.requests.at(-1)?.body);
    assert.match(sent, /Continue exactly where you stopped\./);
    await picture('3-continued');
  });

  journey('stop a reply that stalls', {}, async (walk) => {
    const { panel, picture, service } = walk;
    await connect(walk);
    service.faults.push({ kind: 'stall', after: 40 });
    await panel.ask('What can you do?');
    await panel.replies
      .first()
      .getByText(/\w+ \w+/)
      .first()
      .waitFor();
    await panel.button('Stop').click();
    await panel.settled();
    assert.notEqual((await panel.replies.first().innerText()).trim(), '');
    await picture('stopped');
    await panel.ask('Hello');
    await panel.settled();
    assert.equal(service.requests.at(-1)?.status, 200);
  });
});
