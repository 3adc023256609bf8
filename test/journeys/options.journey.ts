import assert from 'node:assert/strict';
import { isObject } from '../../src/core/support/json.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';

describe('journey: options', () => {
  journey('ask creatively, then for JSON', {}, async (walk) => {
    const { panel, picture, service } = walk;
    await connect(walk);
    await panel.button('Configure').click();
    const form = panel.frame.getByRole('dialog', { name: 'Chat Options' });
    await form.getByRole('radio', { name: /^Creative/ }).check();
    await form.getByRole('textbox', { name: 'Max tokens' }).fill('0');
    await form.getByRole('textbox', { name: 'Top P' }).fill('0.9');
    const problem = form.getByText('Enter a whole number of 1 or more.');
    await problem.waitFor();
    await picture('1-refused');
    await form.getByRole('textbox', { name: 'Max tokens' }).fill('300');
    // The list below moves up when the problem disappears.
    await problem.waitFor({ state: 'hidden' });
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
    const { messages, ...parameters } = { messages: undefined, ...body };
    assert.match(JSON.stringify(messages), /JSON/);
    assert.deepEqual(parameters, {
      model: 'mistral/mistral-small',
      stream: true,
      temperature: 1.4,
      top_p: 0.9,
      max_tokens: 300,
      response_format: { type: 'json_object' },
    });
  });

  journey('continue without an option that the model refuses', {}, async (walk) => {
    const { panel, picture, service } = walk;
    await connect(walk);
    await panel.button('Configure').click();
    const form = panel.frame.getByRole('dialog', { name: 'Chat Options' });
    await form.getByRole('textbox', { name: 'Top P' }).fill('0.9');
    await form.press('Escape');
    const message = "Unsupported parameter: 'top_p' is not supported with this model.";
    service.faults.push({ kind: 'status', status: 400, message });
    await panel.ask('Hello');
    await panel.settled();
    await panel.ask('Hello again');
    await panel.settled();
    const sent = service.requests.filter(({ method }) => method === 'POST');
    assert.deepEqual(
      sent.map(({ body }) => isObject(body) && body['top_p']),
      [0.9, undefined, undefined],
    );
    await panel.button('Configure').click();
    await form.getByText("Not sent: the model doesn't accept this option.").waitFor();
    await picture('1-refused-option');
    await form.press('Escape');
    await clearLearnedDetails(walk);
    await panel.ask('Hello once more');
    await panel.settled();
    const { body } = service.requests.findLast(({ method }) => method === 'POST') ?? {};
    assert.ok(isObject(body));
    assert.equal(body['top_p'], 0.9);
  });
});

/** The model details say where a fact comes from. */
async function clearLearnedDetails({ workbench, panel, picture }: Journey): Promise<void> {
  await panel.button('Model: mistral/mistral-small').click();
  const row = workbench.rows.filter({ hasText: 'mistral/mistral-small' }).first();
  await row.hover();
  await row.getByRole('button', { name: 'Show Details' }).click();
  await workbench.rows
    .filter({ hasText: 'Options not accepted: top_p' })
    .filter({ hasText: 'from a service error' })
    .waitFor();
  await picture('2-details');
  await workbench.pick('Clear Learned Details');
}
