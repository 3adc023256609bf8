import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { localModels } from '../../src/local/models.ts';
import { startHttpService, type HttpService } from '../support/httpService.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';

const small = 'mistral/mistral-small';
const ownModel = 'acme/quick';
const secondKey = 'sk-second-0123456789';
const body = z.object({ model: z.string() });
const settings = z.record(z.string(), z.unknown());

describe('journey: services', () => {
  journey('two services at once', { freshWindow: true }, async (walk) => {
    const second = await startHttpService({
      keys: [{ key: secondKey, name: 'second' }],
      models: localModels.slice(0, 2).flatMap((model) => [model, { ...model, id: ownModel }]),
    });
    try {
      await connect(walk);
      await connectSecond(walk, second);
      await makeFirstCurrent(walk);
      await sendToSecond(walk, second);
      await seeUsage(walk, second);
      await removeSecond(walk, second);
    } finally {
      await second.close();
    }
  });
});

function nameOf({ baseUrl }: Pick<HttpService, 'baseUrl'>): string {
  return new URL(baseUrl).host.replace(':', '-');
}

async function connectSecond(walk: Journey, second: HttpService): Promise<void> {
  const { workbench, panel, userFolder } = walk;
  await workbench.command('Aside: Connect to a Service…');
  await workbench.answer('Connect to a Service', second.baseUrl);
  await workbench.answer(`API Key for ${new URL(second.baseUrl).host}`, secondKey);
  await workbench.pick(ownModel);
  await panel.button(`Model: ${ownModel}`).waitFor();
  const file = join(userFolder, 'User/settings.json');
  const before = settings.parse(JSON.parse(await readFile(file, 'utf8')));
  assert.equal(before['aside.baseUrl'], second.baseUrl);
  const models = {
    [small]: { price: { input: 100, output: 100 } },
    [`${small}@${nameOf(second)}`]: { price: { input: 5000, output: 5000 } },
  };
  await writeFile(file, JSON.stringify({ ...before, 'aside.models': models }));
}

/** Selects another service and one of its models. */
async function makeFirstCurrent(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  await workbench.command('Aside: Select Service…');
  await workbench.rows.filter({ hasText: 'Demo' }).waitFor();
  await picture('1-services');
  await workbench.pick(nameOf(walk));
  await workbench.pick(small);
  await panel.button(`Model: ${small}`).waitFor();
  await panel.ask('Hello');
  await panel.settled();
}

async function sendToSecond(walk: Journey, second: HttpService): Promise<void> {
  const { workbench, panel, picture, service } = walk;
  const name = nameOf(second);
  await panel.button(`Model: ${small}`).click();
  await workbench.rows.filter({ hasText: small }).first().waitFor();
  await workbench.quickInput.locator('input.input').fill(name);
  await workbench.quickInput.getByText('$5000 input').first().waitFor();
  await picture('2-models');
  await workbench.rows.filter({ hasText: small }).first().click();
  await panel.button(`Model: ${small}@${name}`).waitFor();
  const before = service.requests.length;
  await panel.ask('Hello, second service');
  await panel.settled();
  // The composer names the host that receives the message.
  await panel.frame.getByText(new URL(second.baseUrl).host, { exact: true }).waitFor();
  await picture('3-sent');
  assert.equal(service.requests.length, before);
  const { path, status, body: sent } = second.service.requests.at(-1) ?? assert.fail();
  assert.deepEqual([path, status], ['/v1/chat/completions', 200]);
  assert.equal(body.parse(sent).model, small);
  await workbench.command('Aside: Show Next Request');
  const tab = workbench.webview('aside-chat.aside', 'editor');
  await tab.getByText(`${small}@${name}`).first().waitFor();
  await tab.getByText('curl', { exact: true }).click();
  await tab.getByText(`${second.baseUrl}/chat/completions`).waitFor();
  await tab.getByText(`{"model":"${small}",`).waitFor();
  await workbench.command('View: Close Editor');
}

/** The same model has another price at each service. */
async function seeUsage({ workbench, picture }: Journey, second: HttpService): Promise<void> {
  await workbench.command('Aside: Show Token Usage');
  const tab = workbench.webview('aside-chat.aside', 'editor');
  const rows = tab.locator('section[aria-label="Models"] tbody tr');
  for (const name of [small, `${small}@${nameOf(second)}`])
    await rows.filter({ has: tab.getByText(name, { exact: true }) }).waitFor();
  assert.equal(await rows.count(), 2);
  await picture('4-usage');
  await workbench.command('View: Close Editor');
}

/** Sending fails with a message that the service is missing. */
async function removeSecond(walk: Journey, second: HttpService): Promise<void> {
  const { workbench, panel, picture, service } = walk;
  const name = nameOf(second);
  const sent = second.service.requests.length;
  const before = service.requests.length;
  await workbench.command('Aside: Select Service…');
  const row = workbench.rows.filter({ hasText: name });
  await row.hover();
  await row.getByRole('button', { name: 'Remove Service' }).click();
  await decide(walk, 'Remove');
  await workbench.rows.first().waitFor();
  await workbench.page.keyboard.press('Escape');
  await panel.ask('Hello again');
  await panel.alert.filter({ hasText: name }).waitFor();
  await panel.button('Select Model').waitFor();
  await picture('5-removed');
  assert.equal(second.service.requests.length, sent);
  assert.equal(service.requests.length, before);
}
