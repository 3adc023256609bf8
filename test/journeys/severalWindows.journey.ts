import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import * as z from 'zod/mini';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { Workbench } from '../support/vscode/workbench.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
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

const lease = z.object({ hostProcess: z.number() });

const options = { service: { script, pace: 40 }, not: withoutHostProcess };

describe('journey: one chat in two windows', () => {
  journey('follow and continue', { ...options, freshWindow: true }, async (walk) => {
    await connect(walk);
    await walk.panel.ask('A story about rain');
    const other = await openSecond(walk);
    await readAlong(walk, other);
    await continueThere(walk, other);
    await continueBack(walk, other);
  });

  journey('the other window hangs', { ...options, freshWindow: true }, async (walk) => {
    await connect(walk);
    await walk.panel.ask('A story about rain');
    const other = await openSecond(walk);
    await growing(other.panel);
    await takeOverFromHungWindow(walk, other);
  });
});

/** Bar above a chat that another window writes to. */
function barOf({ frame }: Panel): Locator {
  return frame.locator('.holder-bar');
}

/** Opens another window of the same workspace, with the first window's chat. */
async function openSecond(walk: Journey): Promise<Journey> {
  const page = await walk.workbench.page.context().newPage();
  const workbench = new Workbench(page, usageItem);
  const panel = new Panel(workbench);
  await workbench.open(walk.workbench.page.url());
  await panel.show();
  await workbench.command('Aside: Open Chat…');
  await workbench.pick('A story about rain');
  await panel.messages.first().waitFor();
  await barOf(panel).waitFor();
  const picture = (part: string): Promise<void> => takePicture(page, `several-windows--${part}`);
  return { ...walk, workbench, panel, picture };
}

/** Waits until more of the reply arrives. */
async function growing(panel: Panel): Promise<void> {
  const reply = panel.replies.first();
  await panel.longerThan(reply, 20);
  await panel.longerThan(reply, (await reply.innerText()).length + 100);
}

async function readAlong(walk: Journey, { workbench, panel, picture }: Journey): Promise<void> {
  await growing(panel);
  assert.match(await panel.words(barOf(panel)), /open in another window \(weather\)/);
  assert.equal(await panel.button('Stop').count(), 0);
  await panel.input.fill('Is it green?');
  await panel.input.press('Enter');
  await panel.alert.getByText('This chat is open in another window').waitFor();
  assert.equal(await panel.messages.count(), 1);
  await picture('1-read-along');
  await withWindowSize(workbench.page, [620, 700], async () => {
    await growing(panel);
    await picture('2-narrow');
  });
  assert.equal(await barOf(walk.panel).count(), 0);
}

async function continueThere(walk: Journey, other: Journey): Promise<void> {
  const { panel, picture } = other;
  await panel.button('Continue Here').click();
  await other.workbench.dialog.getByText('still replying').waitFor();
  await picture('3-question');
  await decide(other, 'Continue Here');
  await barOf(panel).waitFor({ state: 'detached' });
  await panel.transcript.getByText('You stopped this reply.').waitFor();
  await barOf(walk.panel).waitFor();
  await walk.picture('4-the-other-reads-along');
  assert.equal(await panel.input.inputValue(), 'Is it green?');
  await panel.input.press('Enter');
  await panel.replies.nth(1).getByText('Yes, it is.').waitFor();
  await walk.panel.replies.nth(1).getByText('Yes, it is.').waitFor();
  await walk.workbench.setTheme('light');
  await walk.picture('5-light');
}

async function continueBack(walk: Journey, other: Journey): Promise<void> {
  await walk.panel.button('Continue Here').click();
  await barOf(walk.panel).waitFor({ state: 'detached' });
  await barOf(other.panel).waitFor();
  await walk.panel.ask('Is it still green?');
  await other.panel.replies.nth(2).getByText('Yes, it is.').waitFor();
  assert.equal((await journals(walk)).length, 1);
}

async function takeOverFromHungWindow(walk: Journey, other: Journey): Promise<void> {
  const hung = await writerOf(walk);
  process.kill(hung, 'SIGSTOP');
  try {
    await other.panel.button('Continue Here').click();
    await decide(other, 'Continue Here');
    const start = performance.now();
    await barOf(other.panel).waitFor({ state: 'detached', timeout: 15_000 });
    console.log(`      taken over after ${Math.round(performance.now() - start)} ms`);
    await other.panel.ask('Is it green?');
    await other.panel.replies.nth(1).getByText('Yes, it is.').waitFor();
  } finally {
    process.kill(hung, 'SIGCONT');
  }
  const [journal = ''] = await journals(walk);
  await walk.workbench.toast('Another window took over this chat.').waitFor();
  await walk.picture('6-told-of-the-copy');
  const after = await journals(walk);
  assert.equal(after.length, 2);
  assert.ok(after.includes(journal), 'Nothing is written to what was taken over.');
  await other.picture('7-taken-over');
}

/** Process id of the extension host that writes the chat. */
async function writerOf({ userFolder }: Journey): Promise<number> {
  const folder = join(userFolder, 'User/globalStorage/aside-chat.aside/leases');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  assert.equal(names.length, 1);
  const text = await readFile(join(folder, names[0] ?? ''), 'utf8');
  return lease.parse(JSON.parse(text)).hostProcess;
}

/** Contents of all journals. */
async function journals({ userFolder }: Journey): Promise<readonly string[]> {
  const folder = join(userFolder, 'User/globalStorage/aside-chat.aside/chats');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}
