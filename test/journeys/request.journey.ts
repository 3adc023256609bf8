import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { chooseMode } from './support/chooseMode.ts';
import { connect } from './support/connect.ts';
import { copiedBy } from './support/copiedBy.ts';
import { journey, type Journey } from './support/journey.ts';
import { attach, partOf, script, settings } from './support/requestTab.ts';
import { withWindowSize } from './support/withWindowSize.ts';

describe('journey: request', () => {
  journey('see the next request', { settings, service: { script } }, async (walk) => {
    const { workbench, picture } = walk;
    const tab = workbench.webview('aside-chat.aside', 'editor');
    await converse(walk);
    await workbench.command('Aside: Show Next Request');
    await tab.getByRole('heading', { name: 'Next Request' }).waitFor();
    await followDraft(walk, tab);
    await picture('1-folded');
    await withWindowSize(workbench.page, [760, 900], async () => {
      await partOf(tab, 'report.py').waitFor();
      await picture('1-narrow');
    });
    await unfold(walk, tab);
    await switchTools(walk, tab);
    await removeAttachment(walk, tab);
    await sendIt(walk, tab);
  });
});

/** A message with an attachment, a call and its result, and a draft with another attachment. */
async function converse(walk: Journey): Promise<void> {
  const { panel } = walk;
  await connect(walk);
  await attach(walk, '@temper', 'temperature.ts');
  await panel.ask('What does this do, and what is in the other file?');
  await panel.settled();
  await attach(walk, '@report', 'report.py');
}

function jsonOf(tab: FrameLocator): Locator {
  return tab.locator('.request-exact .request-text');
}

async function followDraft({ panel }: Journey, tab: FrameLocator): Promise<void> {
  await panel.input.pressSequentially('And does the report use it?');
  await jsonOf(tab).filter({ hasText: 'And does the report use it?' }).waitFor();
  for (const name of ['Tools', 'temperature.ts', 'read_file', 'report.py', 'System message'])
    await partOf(tab, name).waitFor();
  await tab.getByText('The service reported').waitFor();
  await tab.getByRole('table', { name: 'Tokens by Part' }).waitFor({ state: 'attached' });
}

async function unfold({ picture }: Journey, tab: FrameLocator): Promise<void> {
  await partOf(tab, 'Tool result').locator('summary').click();
  await tab
    .locator('.request-parts .request-text', { hasText: /station/i })
    .first()
    .waitFor();
  await tab
    .locator('.request-part', { hasText: 'Tools' })
    .first()
    .locator('summary')
    .first()
    .click();
  await tab.locator('.request-part', { hasText: 'edit_file' }).first().waitFor();
  await picture('2-unfolded');
  await tab.locator('.request').evaluate((page) => page.scrollTo(0, page.scrollHeight));
  await picture('3-end');
  await tab.locator('.request').evaluate((page) => page.scrollTo(0, 0));
}

/** Without tools, the request has another system prompt. */
async function switchTools(walk: Journey, tab: FrameLocator): Promise<void> {
  const { picture } = walk;
  await chooseMode(walk, 'Chat');
  await tab.getByRole('note').filter({ hasText: 'no longer cached' }).waitFor();
  await picture('4-changed');
  await chooseMode(walk, 'Agent');
  await tab.getByRole('note').waitFor({ state: 'detached' });
}

async function removeAttachment({ panel }: Journey, tab: FrameLocator): Promise<void> {
  await partOf(tab, 'report.py').locator('summary').click();
  await partOf(tab, 'report.py').getByRole('button', { name: 'Remove Attachment' }).click();
  await partOf(tab, 'report.py').waitFor({ state: 'detached' });
  await panel.button('Remove report.py').waitFor({ state: 'detached' });
}

/** The copied text equals the request body, byte for byte. */
async function sendIt(walk: Journey, tab: FrameLocator): Promise<void> {
  const { workbench, panel, service, key } = walk;
  await tab.getByText('curl', { exact: true }).click();
  const curl = await jsonOf(tab).innerText();
  assert.match(curl, /^curl .*Bearer ‹key›/);
  assert.ok(!curl.includes(key));
  const copied = await copiedBy(workbench.page, () =>
    tab.getByRole('button', { name: 'Copy JSON' }).click(),
  );
  const before = service.requests.length;
  await panel.input.press('Enter');
  await panel.messages.nth(1).waitFor();
  await panel.settled();
  assert.equal(copied, JSON.stringify(service.requests[before]?.body));
}
