import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';

describe('journey: options', () => {
  journey('ask creatively, then for JSON', {}, async (walk) => {
    const { panel, picture, service } = walk;
    await connect(walk);
    await panel.button('Options').click();
    const form = panel.frame.getByRole('dialog', { name: 'Chat Options' });
    await form.getByRole('radio', { name: /^Creative/ }).check();
    await form.getByRole('textbox', { name: 'Max tokens' }).fill('0');
    await form.getByRole('textbox', { name: 'Top P' }).fill('0.9');
    await form.getByText('Enter a whole number of 1 or more.').waitFor();
    await picture('1-refused');
    await form.getByRole('textbox', { name: 'Max tokens' }).fill('300');
    await form.getByRole('checkbox', { name: 'Reply in JSON' }).check();
    await picture('2-filled');
    await form.press('Escape');
    await form.waitFor({ state: 'detached' });
    await picture('3-chips');
    await panel.ask('Hello');
    await panel.settled();
    await picture('4-json');
    const { body } = service.requests.findLast(({ method }) => method === 'POST') ?? {};
    assert.ok(typeof body === 'object' && body !== null);
    const { messages, ...rest } = { messages: undefined, ...body };
    assert.match(JSON.stringify(messages), /JSON/);
    assert.deepEqual(rest, {
      model: 'mistral/mistral-small',
      stream: true,
      temperature: 1.4,
      top_p: 0.9,
      max_tokens: 300,
      response_format: { type: 'json_object' },
    });
  });
});
