import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { connect } from './support/connect.ts';
import { copiedBy } from './support/copiedBy.ts';
import { journey, type Journey } from './support/journey.ts';
import { attach, partOf, script, settings } from './support/requestTab.ts';
import { withWindowSize } from './support/withWindowSize.ts';

describe('journey: parts of the next request', () => {
  journey('exclude and pin parts', { settings, service: { script } }, async (walk) => {
    const { workbench, panel, picture } = walk;
    const tab = workbench.webview('aside-chat.aside', 'editor');
    await connect(walk);
    await attach(walk, '@temper', 'temperature.ts');
    await panel.ask('What does this do, and what is in the other file?');
    await panel.settled();
    await attach(walk, '@temper', 'temperature.ts');
    await attach(walk, '@report', 'report.py');
    await panel.input.pressSequentially('And does the report use it?');
    await workbench.command('Aside: Show Next Request');
    await excludeParts(walk, tab);
    await partOf(tab, 'Tool result').hover();
    await picture('1-excluded');
    await withWindowSize(workbench.page, [760, 900], () => picture('1-narrow'));
    await sendWithout(walk, tab);
    await includeAll(walk, tab);
    await excludeTools(walk, tab);
  });
});

/** The keyboard reaches buttons that are visible only on hover. */
async function choose(tab: FrameLocator, name: string): Promise<void> {
  await tab.getByRole('button', { name, exact: true }).last().press('Enter');
}

function costOf(tab: FrameLocator): Promise<string> {
  return tab.getByRole('region', { name: 'Cost' }).locator('.usage-big').innerText();
}

async function excludeParts({ picture, panel }: Journey, tab: FrameLocator): Promise<void> {
  await partOf(tab, 'report.py').waitFor();
  const whole = await costOf(tab);
  await picture('0-before');
  await choose(tab, 'Exclude: report.py');
  await partOf(tab, 'report.py').getByText('Excluded').waitFor();
  await tab.locator('.request-left-out', { hasText: 'Excluded parts: 1' }).waitFor();
  assert.notEqual(await costOf(tab), whole);
  await panel.frame.locator('.chip', { hasText: 'report.py' }).getByText('Excluded').waitFor();
  await choose(tab, 'Exclude: read_file');
  await partOf(tab, 'Tool result').getByText('Excluded').waitFor();
  // The cached prefix ends at the first attachment.
  await tab.getByRole('button', { name: 'Exclude: temperature.ts' }).first().press('Enter');
  await tab.getByRole('note').filter({ hasText: 'no longer cached' }).waitFor();
  await choose(
    tab,
    'Pin: Message with its reply, What does this do, and what is in the other file?',
  );
  await tab.getByRole('button', { name: /^Unpin: Message/ }).waitFor();
}

async function sendWithout(walk: Journey, tab: FrameLocator): Promise<void> {
  const { workbench, panel, service } = walk;
  const copied = await copiedBy(workbench.page, () =>
    tab.getByRole('button', { name: 'Copy JSON' }).click(),
  );
  const before = service.requests.length;
  await panel.input.press('Enter');
  await panel.messages.nth(1).waitFor();
  await panel.settled();
  assert.equal(copied, JSON.stringify(service.requests[before]?.body));
  assert.doesNotMatch(copied, /report\.py/);
  assert.match(copied, /The person left this result out\./);
  // The second attachment of the file no longer refers to the first.
  assert.match(copied, /temperature\.ts:/);
  assert.doesNotMatch(copied, /unchanged since/);
}

/** Included parts are sent as if they had never been excluded. */
async function includeAll({ picture }: Journey, tab: FrameLocator): Promise<void> {
  const json = tab.locator('.request-exact .request-text');
  await partOf(tab, 'report.py').getByText('Excluded').waitFor();
  await picture('2-sent');
  await tab.getByRole('button', { name: 'Include All', exact: true }).click();
  await tab.locator('.request-left-out').waitFor({ state: 'detached' });
  await json.filter({ hasText: 'report.py' }).waitFor();
  await json.filter({ hasNotText: 'The person left this result out.' }).waitFor();
  await choose(
    tab,
    'Unpin: Message with its reply, What does this do, and what is in the other file?',
  );
  await tab.getByRole('button', { name: /^Unpin: / }).waitFor({ state: 'detached' });
}

async function excludeTools(
  { picture, panel, service }: Journey,
  tab: FrameLocator,
): Promise<void> {
  const tools = tab.locator('.request-part', { hasText: 'Tools' }).first();
  await tools.locator('summary').first().click();
  await tab.getByRole('button', { name: 'Exclude: edit_file' }).waitFor();
  await choose(tab, 'Exclude: edit_file');
  // One tool is excluded. Hosts differ in the number of tools.
  await tools.getByText(/^(13 of 14|12 of 13|11 of 12)$/).waitFor();
  await picture('3-tools');
  await choose(tab, 'Exclude All: Tools');
  await tools.getByText(/^0 of 1[2-4]$/).waitFor();
  await panel.ask('And without tools?');
  await panel.settled();
  assert.doesNotMatch(JSON.stringify(service.requests.at(-1)?.body), /"tools":/);
  await choose(tab, 'Include All: Tools');
  await tools.getByText(/^0 of 1[2-4]$/).waitFor({ state: 'detached' });
}
