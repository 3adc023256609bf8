/**
 * The extension host is killed at random moments: `ASIDE_KILLS` times (6 if absent), with the random
 * numbers of `ASIDE_SEED` (1 if absent).
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { Random } from '../walk/random.ts';
import { connect } from './support/connect.ts';
import { Expected, medianOf } from './support/expected.ts';
import { hostRestarted, killExtensionHost } from './support/extensionHost.ts';
import { journey, type Journey } from './support/journey.ts';
import { shownUsage } from './support/shownUsage.ts';
import { withoutHostProcess } from './support/reasons.ts';

const kills = Number(process.env['ASIDE_KILLS'] ?? 6);
const random = new Random(Number(process.env['ASIDE_SEED'] ?? 1));
/** So that each journey stays within its time. */
const killsPerJourney = 3;

const code = 'src/temperature.ts';
const counting = Array.from({ length: 3000 }, (_, number) => number).join(' ');
const improved = '```ts\nexport class Station {\n  readonly better = true;\n}\n```';
const edit = { path: code, edits: [{ search: "'hot'", replace: "'red'" }] };
const editCall = { name: 'edit_file', arguments: JSON.stringify(edit) };

/** The requests that the service has received: all, and those of the chat. */
interface Received {
  all: number;
  chat: number;
}

function scriptCounting(received: Received): Script {
  return ({ messages }) => {
    const { content } = messages.findLast(({ role }) => role === 'user') ?? {};
    const [question, verb] = /\b(Count|Change|Hello) \d+/.exec(content ?? '') ?? [];
    received.all += 1;
    if (question === undefined) return { content: improved };
    received.chat += 1;
    if (verb === 'Count') return { content: counting };
    if (verb === 'Change') return { content: '', toolCalls: [editCall] };
    return { content: `Reply to ${question}` };
  };
}

/** Brings the window into a state, a random moment of which is over when this resolves. */
type Reach = (walk: Journey, expected: Expected, round: number) => Promise<void>;

const states: readonly Reach[] = [
  replyStreams,
  editWaits,
  reviewIsOpen,
  draftIsTyped,
  fileIsAttached,
];

/** As a browser's VS Code saves by itself. */
const settings = { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 100 };

describe('journey: the extension host is killed', () => {
  for (let first = 1; first <= kills; first += killsPerJourney) {
    const last = Math.min(first + killsPerJourney - 1, kills);
    const received: Received = { all: 0, chat: 0 };
    const service = { script: scriptCounting(received), pace: 15 };
    journey(
      `at random, ${first} to ${last}`,
      { freshWindow: true, settings, service, not: withoutHostProcess },
      async (walk) => {
        const expected = new Expected();
        await connect(walk);
        await sayHello(walk, expected, 0);
        for (let round = first; round <= last; round++)
          await killOnce(walk, { expected, round, received });
        console.log(expected.measured);
      },
    );
  }

  after(() => {
    console.log(
      `      the last turn was back after ${medianOf(waits)} ms (median of ${waits.length})`,
    );
  });
});

/** Milliseconds from each kill until the last turn was in the panel again. */
const waits: number[] = [];

interface Round {
  readonly expected: Expected;
  readonly round: number;
  readonly received: Received;
}

async function killOnce(walk: Journey, { expected, round, received }: Round): Promise<void> {
  const { workbench, panel, workspace } = walk;
  const before = await readFile(join(workspace, code), 'utf8');
  await states[(round - 1) % states.length]?.(walk, expected, round);
  const sent = { ...received };
  const killed = await killExtensionHost(walk);
  await (round % 2 === 0 ? reload(walk, expected) : hostRestarted(walk));
  await panel.questions.last().waitFor();
  waits.push(performance.now() - killed);
  await expected.checkPanel(walk);
  await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
  await checkUsage(walk, expected, sent);
  assert.deepEqual(received, sent, 'Nothing is sent again by itself.');
  await sayHello(walk, expected, round);
  await expected.checkJournal(walk, killed);
  assert.equal(await readFile(join(workspace, code), 'utf8'), before);
}

/** What a person does who has seen that something is wrong. */
async function reload({ workbench }: Journey, { draft }: Expected): Promise<void> {
  // A browser's VS Code writes its state with a delay, and asks a person who reloads before that.
  await workbench.stored(draft);
  await workbench.reload();
}

/** What was sent counts, the interrupted requests by an estimate. */
async function checkUsage(walk: Journey, expected: Expected, sent: Received): Promise<void> {
  const estimated = expected.hasInterrupted;
  const { chat, today } = await shownUsage(walk);
  assert.deepEqual(chat, { requests: sent.chat, estimated });
  assert.deepEqual(today, { requests: sent.all, estimated });
}

/** A message and its whole reply, in place of the draft and with what is attached. */
async function sayHello({ panel }: Journey, expected: Expected, round: number): Promise<void> {
  const question = `Hello ${round}`;
  await panel.ask(question);
  await panel.settled();
  expected.turns.push({ question, reply: `Reply to ${question}` });
  expected.draft = '';
  expected.isAttached = false;
}

async function replyStreams(walk: Journey, expected: Expected, round: number): Promise<void> {
  const { panel } = walk;
  const question = `Count ${round}`;
  await panel.ask(question);
  const samples = expected.interrupted(question, counting);
  const turn = panel.transcript.locator('[data-turn]').last();
  const reply = turn.getByRole('article', { name: 'Assistant' });
  // Its request counts from the moment that it is sent.
  await reply.filter({ hasText: /^0 1/ }).waitFor();
  await typeDraft(walk, expected, round);
  const end = performance.now() + random.below(4000);
  while (performance.now() < end) {
    const at = performance.now();
    const [text = ''] = /^[\d ]*/.exec(await panel.words(reply)) ?? [];
    samples.push({ at, text: text.trim() });
    await setTimeout(50);
  }
}

async function editWaits(walk: Journey, expected: Expected, round: number): Promise<void> {
  const { panel } = walk;
  const question = `Change ${round}`;
  await panel.ask(question);
  expected.interrupted(question, '');
  await panel.button('Allow Once').waitFor();
  await setTimeout(random.below(500));
  await typeDraft(walk, expected, round);
}

async function reviewIsOpen({ workbench }: Journey): Promise<void> {
  const { page } = workbench;
  await workbench.openFile('temperature.ts');
  await workbench.selectLines(18, 29);
  await workbench.command('Aside: Improve');
  await page
    .locator('.codelens-decoration a', { hasText: /Accept$/ })
    .first()
    .waitFor();
  // Longer than VS Code needs to save by itself.
  await setTimeout(200 + random.below(500));
}

async function draftIsTyped(walk: Journey, expected: Expected, round: number): Promise<void> {
  await typeDraft(walk, expected, round);
}

async function fileIsAttached(walk: Journey, expected: Expected, round: number): Promise<void> {
  const { panel } = walk;
  await panel.input.pressSequentially('@temper');
  await panel.option(/^temperature\.ts/).waitFor();
  await panel.input.press('Enter');
  await panel.button('Remove temperature.ts').waitFor();
  expected.isAttached = true;
  await typeDraft(walk, expected, round);
}

/** Types key by key. Resolves 200 ms after the last one. */
async function typeDraft({ panel }: Journey, expected: Expected, round: number): Promise<void> {
  expected.draft = `Draft ${round}${'x'.repeat(random.below(20))}`;
  await panel.input.pressSequentially(expected.draft, { delay: random.below(20) });
  await setTimeout(200);
}
