import assert from 'node:assert/strict';
import { modelAnswering } from '../support/modelSaying.ts';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { press } from './support/press.ts';

const path = 'src/temperature.ts';
const edit = { path, edits: [{ search: "'hot'", replace: "'red'" }] };

const script = modelAnswering({
  'Change the word.': [[['edit_file', edit]], 'It is red now.'],
  'Say which file it was.': ['The word in src/temperature.ts is red now.'],
  'Thank you.': ['You are welcome.'],
});

describe('journey: a message into a running turn', () => {
  journey('send now', { service: { script } }, async (walk) => {
    const { panel, picture, service } = walk;
    await connect(walk);
    await panel.ask('Change the word.');
    await panel.button('Allow Once').waitFor();
    await panel.input.fill('Thank you.');
    await panel.input.press('Enter');
    await panel.frame.locator('.queued-text').filter({ hasText: 'Thank you.' }).waitFor();
    await panel.input.fill('Say which file it was.');
    await panel.input.press('Alt+Enter');
    await panel.frame.locator('.queued-now').waitFor();
    await picture('1-waits');

    await press(panel.button('Allow Once'));
    const added = panel.replies.first().getByRole('article', { name: 'You' });
    await added.getByText('Say which file it was.').waitFor();
    await panel.replies.first().getByText('The word in src/temperature.ts is red now.').waitFor();
    await panel.replies.nth(1).getByText('You are welcome.').waitFor();
    await panel.settled();
    await picture('2-went-in');
    const roles = service.requests
      .filter(({ path: address }) => address.endsWith('/completions'))
      .map(({ body }) => JSON.stringify(body).match(/"role":"[a-z]+"/g)?.length);
    // System and question; then the call, its result, a filler and the message; then all of it.
    assert.deepEqual(roles, [2, 6, 8]);

    await press(panel.button('Retry').last());
    await panel.settled();
    assert.equal(await added.count(), 1);
  });
});
