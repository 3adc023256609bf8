import assert from 'node:assert/strict';
import { journey } from './support/journey.ts';

const wrongKey = 'sk-wrong-key-of-another-service';

describe('journey: connecting', () => {
  journey('correct a wrong key', { freshWindow: true }, async (walk) => {
    const { workbench, panel, picture, baseUrl, key, service } = walk;
    await panel.showEmpty();
    await panel.button(/^Connect/).click();
    await workbench.answer('Connect to a Service', 'http://api.example.com');
    await workbench.quickInput.getByText('Use https://').waitFor();
    await picture('1-address-refused');
    await workbench.answer('Connect to a Service', baseUrl);

    await workbench.answer('API Key for 127.0.0.1', `Bearer ${wrongKey}`);
    await workbench.quickInput.getByText('Leave out “Bearer”').waitFor();
    await workbench.answer('API Key for 127.0.0.1', wrongKey);
    await workbench.toast('rejected the API key').waitFor();
    await picture('2-key-refused');
    await workbench.toastButton('rejected the API key', 'Set API Key').click();

    await workbench.answer('API Key for 127.0.0.1', `  ${key}  `);
    await workbench.rows.first().waitFor();
    await picture('3-models');
    await workbench.pick('mistral/mistral-small');
    await panel.button('Model: mistral/mistral-small').waitFor();
    await picture('4-connected');

    await panel.ask('Hello');
    await panel.settled();
    assert.notEqual((await panel.replies.first().innerText()).trim(), '');
    await picture('5-first-answer');
    assert.deepEqual(
      service.requests.map(({ path, status }) => `${path} ${String(status)}`),
      ['/v1/models 401', '/v1/models 200', '/v1/chat/completions 200'],
    );
  });

  journey(
    'send a message first, with an incomplete address',
    { freshWindow: true },
    async (walk) => {
      const { workbench, panel, picture, baseUrl, key, service } = walk;
      await panel.show();
      await panel.input.fill('Hello');
      await panel.input.press('Enter');
      await workbench.answer('Connect to a Service', baseUrl.replace('/v1', '/v2'));
      await workbench.answer('API Key for 127.0.0.1', key);
      await workbench.quickInput.getByText('404 Not Found').waitFor();
      assert.equal(await panel.input.inputValue(), 'Hello');
      await picture('1-address-again');
      // The address needs neither a scheme nor a version, and the key is stored already.
      await workbench.answer('Connect to a Service', new URL(baseUrl).host);
      await workbench.pick('mistral/mistral-small');
      await panel.messages.filter({ hasText: 'Hello' }).waitFor();
      await panel.settled();
      await picture('2-sent');
      assert.equal(service.requests.at(-1)?.path, '/v1/chat/completions');
      await panel.frame.locator('.message-field:focus').waitFor();
    },
  );
});
