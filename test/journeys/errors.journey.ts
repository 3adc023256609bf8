import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { press } from './support/press.ts';

describe('journey: errors of the service', () => {
  journey('401, 402, 404 and 429, each with its remedy', {}, async (walk) => {
    await connect(walk);
    await replaceKey(walk);
    await openConsole(walk);
    await selectModel(walk);
    await waitForNextAttempt(walk);
  });

  journey('503, four times and then by hand', {}, async (walk) => {
    const { panel, picture, service } = walk;
    await connect(walk);
    service.faults.push({ kind: 'status', status: 503, times: 4, on: 'completions' });
    await panel.ask('Hello');
    await panel.alert.getByText('503').waitFor();
    await picture('1-alert');
    assert.equal(completions(service.requests), 4);
    await press(panel.alert.getByRole('button', { name: 'Try Again' }));
    await panel.alert.waitFor({ state: 'hidden' });
    await panel.settled();
    assert.notEqual((await panel.replies.first().innerText()).trim(), '');
    await picture('2-answered');
  });
});

/** Sends a message with a key that was deleted. */
async function replaceKey({ workbench, panel, picture, service, key }: Journey): Promise<void> {
  service.account.createKey({ key: 'sk-the-next-key', name: 'Next' });
  service.account.deleteKey(key);
  await panel.ask('Hello');
  await panel.alert.getByText('401').waitFor();
  await picture('1-key-refused');
  await panel.alert.getByRole('button', { name: 'Set API Key' }).click();
  await workbench.answer('API Key for 127.0.0.1', 'sk-the-next-key');
  await workbench.quickInput.waitFor({ state: 'hidden' });
  await press(panel.alert.getByRole('button', { name: 'Try Again' }));
  await panel.alert.waitFor({ state: 'hidden' });
  await panel.settled();
  assert.equal(service.requests.at(-1)?.status, 200);
  // The next journey uses the window with the first key.
  service.account.createKey({ key, name: 'First' });
  await workbench.command('Aside: Set API Key…');
  await workbench.answer('API Key for 127.0.0.1', key);
  await workbench.quickInput.waitFor({ state: 'hidden' });
}

async function openConsole({ panel, picture, service }: Journey): Promise<void> {
  const { balance } = service.account;
  service.account.topUp(-balance);
  const before = completions(service.requests);
  await panel.ask('And now?');
  await panel.alert.getByText('402').waitFor();
  await panel.alert.getByRole('button', { name: 'Open Console' }).waitFor();
  await picture('2-wallet-empty');
  assert.equal(completions(service.requests), before + 1, 'A 402 was tried again.');
  service.account.topUp(balance);
}

async function selectModel({ workbench, panel, picture, service }: Journey): Promise<void> {
  const before = completions(service.requests);
  service.faults.push({ kind: 'status', status: 404, on: 'completions' });
  await panel.ask('Hello again');
  await panel.alert.getByText('404').waitFor();
  await picture('3-model-gone');
  await panel.alert.getByRole('button', { name: 'Select Model' }).click();
  await workbench.pick('meta/llama-70b');
  await panel.button('Model: meta/llama-70b').waitFor();
  await panel.ask('Hello once more');
  await panel.settled();
  assert.equal(completions(service.requests), before + 2, 'A 404 was tried again.');
}

async function waitForNextAttempt({ panel, picture, service }: Journey): Promise<void> {
  const before = completions(service.requests);
  service.faults.push({ kind: 'status', status: 429, retryAfter: 3, on: 'completions' });
  await panel.ask('Are you there?');
  await panel.status.getByText(/Retrying in \d+ s \(2 of 4\)/).waitFor();
  await picture('4-waiting');
  await panel.settled();
  assert.equal(await panel.alert.count(), 0);
  assert.equal(completions(service.requests), before + 2);
  await picture('5-answered');
}

function completions(requests: readonly { readonly path: string }[]): number {
  return requests.filter(({ path }) => path.endsWith('/completions')).length;
}
