import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';

const workKey = 'sk-work-0123456789';
const model = 'meta/llama-70b';

describe('journey: accounts', () => {
  journey('two keys of one service', { freshWindow: true }, async (walk) => {
    await connect(walk);
    await addAccount(walk);
    await sendWith(walk, workKey);
    await walk.workbench.command('Aside: Select Service…');
    await walk.workbench.rows.filter({ hasText: 'work' }).waitFor();
    await walk.picture('2-accounts');
    await walk.workbench.pick(new URL(walk.baseUrl).host.replace(':', '-'));
    await walk.workbench.quickInput.waitFor({ state: 'hidden' });
    await sendWith(walk, walk.key);
    await seeUsage(walk);
  });
});

async function addAccount({ workbench, panel, picture, service, baseUrl }: Journey): Promise<void> {
  service.account.createKey({ key: workKey, name: 'Work', models: [model] });
  await workbench.command('Aside: Connect to a Service…');
  await workbench.answer('Connect to a Service', baseUrl);
  await workbench.answer('API Key for 127.0.0.1', workKey);
  await workbench.rows.filter({ hasText: 'Replace Key' }).waitFor();
  await picture('1-another-key');
  await workbench.pick('Add as Another Account…');
  await workbench.answer('Name of the Account', 'work');
  // The key may use one model, which is chosen.
  await panel.button(`Model: ${model}`).waitFor();
}

async function sendWith({ panel, service }: Journey, key: string): Promise<void> {
  await panel.ask('Hello');
  await panel.settled();
  const { path, status, headers } = service.requests.at(-1) ?? assert.fail();
  assert.deepEqual([path, status], ['/v1/chat/completions', 200]);
  assert.equal(headers['authorization'], `Bearer ${key}`);
}

async function seeUsage({ workbench, picture }: Journey): Promise<void> {
  await workbench.command('Aside: Show Token Usage');
  const tab = workbench.webview('aside-chat.aside', 'editor');
  const rows = tab.locator('section[aria-label="Models"] tbody tr');
  for (const name of [model, `${model}@work`])
    await rows.filter({ has: tab.getByText(name, { exact: true }) }).waitFor();
  await picture('3-usage');
  await workbench.command('View: Close Editor');
}
