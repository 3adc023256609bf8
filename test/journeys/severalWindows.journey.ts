import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { Workbench } from '../support/vscode/workbench.ts';
import { connect } from './support/connect.ts';
import { chatHosts } from './support/extensionHost.ts';
import { journey, type Journey } from './support/journey.ts';
import { usageItem } from './support/journeyWindow.ts';
import { Panel } from './support/panel.ts';
import { takePicture } from './support/pictures.ts';
import { withoutHostProcess } from './support/reasons.ts';
import { withWindowSize } from './support/withWindowSize.ts';

const story = 'It rained, and it rained again, and then it went on raining. '.repeat(400);

/** Long stories outlast the journey; other messages get a short reply. */
const script: Script = ({ messages }) => {
  const message = String(messages.at(-1)?.content);
  return { content: message.includes('story') ? story : 'Yes, it is.' };
};

const options = { service: { script, pace: 40 }, not: withoutHostProcess, freshWindow: true };

describe('journey: one chat in two windows', () => {
  journey('copy and reload', options, async (walk) => {
    await connect(walk);
    await walk.panel.ask('A story about rain');
    const other = await openSecond(walk);
    await readOnly(walk, other);
    await continueInCopy(walk, other);
    await reloadOnceFree(walk, other);
  });

  journey('the other window hangs', options, async (walk) => {
    await connect(walk);
    await walk.panel.ask('Is it green?');
    await walk.panel.replies.first().getByText('Yes, it is.').waitFor();
    const [hung = assert.fail()] = await chatHosts(walk);
    const other = await openSecond(walk, 'Is it green?');
    process.kill(hung, 'SIGSTOP');
    try {
      // A lock is free a minute after its last renewal.
      await reloadUntilFree(other, 90_000);
      await other.panel.ask('Is it still green?');
      await other.panel.replies.nth(1).getByText('Yes, it is.').waitFor();
    } finally {
      process.kill(hung, 'SIGCONT');
    }
    const before = await journals(walk);
    // The window that hung had nothing unsaved: it shows what the other one wrote.
    await barOf(walk.panel).waitFor();
    await walk.panel.replies.nth(1).getByText('Yes, it is.').waitFor();
    assert.deepEqual(await journals(walk), before);
    await walk.picture('5-after-hanging');
  });
});

/** Bar above the composer of a chat that is open in another window. */
function barOf({ frame }: Panel): Locator {
  return frame.locator('.holder-bar');
}

/** Opens another window of the same workspace, with the first window's chat. */
async function openSecond(walk: Journey, title = 'A story about rain'): Promise<Journey> {
  const page = await walk.workbench.page.context().newPage();
  const workbench = new Workbench(page, usageItem);
  const panel = new Panel(workbench);
  await workbench.open(walk.workbench.page.url());
  await panel.show();
  await workbench.command('Aside: Open Chat…');
  await workbench.pick(title);
  await panel.messages.first().waitFor();
  await barOf(panel).waitFor();
  const picture = (part: string): Promise<void> => takePicture(page, `several-windows--${part}`);
  return { ...walk, workbench, panel, picture };
}

async function readOnly(walk: Journey, { workbench, panel, picture }: Journey): Promise<void> {
  assert.match(await panel.words(barOf(panel)), /open in another window/);
  assert.equal(await panel.button('Stop').count(), 0);
  await panel.input.fill('Is it green?');
  await panel.input.press('Enter');
  await panel.alert.getByText('This chat is open in another window').waitFor();
  assert.equal(await panel.messages.count(), 1);
  await picture('1-read-only');
  await withWindowSize(workbench.page, [620, 700], () => picture('2-narrow'));
  assert.equal(await barOf(walk.panel).count(), 0);
}

async function continueInCopy(walk: Journey, other: Journey): Promise<void> {
  const { panel, picture } = other;
  await panel.button('Continue in a Copy').click();
  await barOf(panel).waitFor({ state: 'detached' });
  assert.equal(await panel.input.inputValue(), 'Is it green?');
  await panel.input.press('Enter');
  await panel.replies.nth(1).getByText('Yes, it is.').waitFor();
  assert.equal(await walk.panel.messages.count(), 1);
  assert.equal((await journals(walk)).length, 2);
  await picture('3-copy');
}

async function reloadOnceFree(walk: Journey, other: Journey): Promise<void> {
  const { workbench, panel, picture } = other;
  await workbench.command('Aside: Open Chat…');
  await workbench.pick('A story about rain');
  await barOf(panel).waitFor();
  await walk.panel.button('Stop').click();
  await walk.panel.settled();
  const reply = await walk.panel.words(walk.panel.replies.first());
  // The first window closes a chat some seconds after it shows another one.
  await walk.workbench.command('Aside: New Chat');
  await reloadUntilFree(other, 60_000);
  await panel.transcript.getByText('You stopped this reply.').waitFor();
  assert.equal(await panel.words(panel.replies.first()), reply);
  await panel.input.fill('Is it still green?');
  await panel.input.press('Enter');
  await panel.replies.nth(1).getByText('Yes, it is.').waitFor();
  await picture('4-free');
}

/** Reads the chat anew until no other window has it. */
async function reloadUntilFree({ panel, workbench }: Journey, limit: number): Promise<void> {
  const start = performance.now();
  while ((await barOf(panel).count()) > 0) {
    assert.ok(performance.now() - start < limit);
    await panel.button('Reload').click();
    await workbench.page.waitForTimeout(2000);
  }
}

/** Contents of all journals. */
async function journals({ userFolder }: Journey): Promise<readonly string[]> {
  const folder = join(userFolder, 'User/globalStorage/aside-chat.aside/chats');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}
