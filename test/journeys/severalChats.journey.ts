import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { edit, longStories } from './support/longStories.ts';
import { Panel } from './support/panel.ts';
import { press } from './support/press.ts';

const options = { ...longStories };

describe('journey: several chats', () => {
  journey('a long reply in the background', options, async (walk) => {
    await connect(walk);
    await askElsewhere(walk);
    const tab = await streamInTab(walk);
    await decideMeanwhile(walk, tab);
    await reload(walk);
  });
});

describe('journey: three tabs and the sidebar', () => {
  journey('four replies at once, and a reload', options, async (walk) => {
    await connect(walk);
    for (const message of inTabs) await openTab(walk, message);
    const { workbench, panel, picture, service } = walk;
    await panel.input.click();
    await workbench.command('Aside: New Chat');
    await panel.messages.first().waitFor({ state: 'detached' });
    await panel.ask('A story about hail');
    await panel.longerThan(panel.replies.first(), 50);
    await picture('1-all-run');
    assert.deepEqual(aborted(service), [false, false, false, false]);
    for (const message of inTabs) await showTab(walk, message);
    await tabOf(walk).button('Allow Once').waitFor();
    assert.equal(await panel.button('Allow Once').count(), 0);
    await workbench.reloadAfterSaving();
    for (const message of inTabs) await showTab(walk, message);
    await panel.show();
    await panel.messages.filter({ hasText: 'A story about hail' }).waitFor();
    await panel.button('Continue').waitFor();
    await picture('2-after-reload');
  });
});

const inTabs = ['A story about rain', 'A story about snow', 'Be more precise.'];

/** Sends a message in a new chat of the sidebar, and moves that chat to a tab. */
async function openTab(walk: Journey, message: string): Promise<void> {
  const { workbench, panel } = walk;
  await panel.input.click();
  await workbench.command('Aside: New Chat');
  await panel.messages.first().waitFor({ state: 'detached' });
  await panel.ask(message);
  await panel.input.click();
  await workbench.command('Aside: Open Chat in Editor');
  await tabOf(walk).messages.filter({ hasText: message }).waitFor();
}

async function showTab(walk: Journey, message: string): Promise<void> {
  await walk.workbench.page.locator('.tab', { hasText: message }).click();
  await tabOf(walk).messages.filter({ hasText: message }).waitFor();
}

/** Tells for each chat completion whether the client aborted it. */
function aborted({ requests }: Journey['service']): readonly boolean[] {
  return requests
    .filter(({ path }) => path.endsWith('/completions'))
    .map((request) => request.aborted);
}

function tabOf({ workbench }: Journey): Panel {
  return new Panel(workbench, 'editor');
}

async function askElsewhere({ workbench, panel, picture, service }: Journey): Promise<void> {
  await panel.ask('A story about rain');
  await panel.longerThan(panel.replies.first(), 50);
  await workbench.command('Aside: New Chat');
  await panel.messages.first().waitFor({ state: 'detached' });
  await panel.input.fill('A draft');
  await panel.ask('Is it green?');
  await panel.replies.first().getByText('Yes, it is.').waitFor();
  await panel.settled();
  await picture('1-something-else');
  assert.equal(aborted(service)[0], false);
}

async function streamInTab(walk: Journey): Promise<Panel> {
  const { workbench, panel, picture } = walk;
  await workbench.command('Aside: Open Chat in Editor');
  const tab = tabOf(walk);
  await tab.replies.first().getByText('Yes, it is.').waitFor();
  await tab.input.fill('Typed in the tab');
  await panel.holds('Typed in the tab');
  await tab.input.fill('');
  await tab.input.focus();
  await workbench.command('Aside: New Chat');
  await tab.messages.first().waitFor({ state: 'detached' });
  await tab.ask('A story about snow');
  await tab.longerThan(tab.replies.first(), 50);
  assert.equal(await panel.messages.count(), 1);
  await workbench.page.locator('.tab.active', { hasText: 'A story about snow' }).waitFor();
  await picture('2-tab');
  return tab;
}

async function decideMeanwhile(walk: Journey, tab: Panel): Promise<void> {
  const { workbench, panel, picture, workspace, service } = walk;
  // The tab has focus, but a button in the title of the view applies to the view.
  await workbench.titleButton('New Chat').click();
  await panel.messages.first().waitFor({ state: 'detached' });
  await panel.ask('Be more precise.');
  await panel.button('Allow Once').waitFor();
  await tab.button('Stop').waitFor();
  await picture('3-approval-beside');
  await tab.input.press('Escape');
  await tab.settled();
  assert.deepEqual(aborted(service).slice(0, 3), [false, false, true], 'the first story goes on');
  await press(panel.button('Allow Once'));
  await panel.replies.first().getByText('It is more precise now.').waitFor();
  assert.match(await readFile(join(workspace, edit.path), 'utf8'), /32\.0/);
}

async function reload(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  const tab = tabOf(walk);
  await workbench.reloadAfterSaving();
  await tab.messages.filter({ hasText: 'A story about snow' }).waitFor();
  await panel.show();
  await panel.messages.filter({ hasText: 'Be more precise.' }).waitFor();
  assert.equal(await panel.input.inputValue(), '');
  await picture('4-after-reload');
  await tab.ask('Is it white?');
  await tab.replies.nth(1).getByText('Yes, it is.').waitFor();
}
