/**
 * Kills the extension host at random moments: `ASIDE_KILLS` times (6 by default), seeded with
 * `ASIDE_SEED` (1 by default).
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
import { readUsageTab } from './support/usageTab.ts';
import { withoutHostProcess } from './support/reasons.ts';

const kills = Number(process.env['ASIDE_KILLS'] ?? 6);
const random = new Random(Number(process.env['ASIDE_SEED'] ?? 1));
/** Keeps each journey within the time limit. */
const killsPerJourney = 3;

const code = 'src/temperature.ts';
const counting = Array.from({ length: 3000 }, (_, number) => number).join(' ');
const improved = '```ts\nexport class Station {\n  readonly better = true;\n}\n```';
const edit = { path: code, edits: [{ search: "'hot'", replace: "'red'" }] };
const editCall = { name: 'edit_file', arguments: JSON.stringify(edit) };

/** Numbers of requests that the service received: all of them, and those of the chat. */
interface Received {
  all: number;
  chat: number;
}

function scriptCounting(received: Received): Script {
  return ({ messages }) => {
    const { content } = messages.findLast(({ role }) => role === 'user') ?? {};
    const [message, verb] = /\b(Count|Change|Hello) \d+/.exec(content ?? '') ?? [];
    received.all += 1;
    if (message === undefined) return { content: improved };
    received.chat += 1;
    if (verb === 'Count') return { content: counting };
    if (verb === 'Change') return { content: '', toolCalls: [editCall] };
    return { content: `Reply to ${message}` };
  };
}

/** Brings the window into a state and resolves at a random moment of it. */
type StateSetup = (walk: Journey, expected: Expected, round: number) => Promise<void>;

const states: readonly StateSetup[] = [
  replyStreams,
  editWaits,
  reviewIsOpen,
  draftIsTyped,
  fileIsAttached,
];

/** VS Code in a browser saves automatically. */
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
        // A second try has a new window and a new service.
        received.all = received.chat = 0;
        await connect(walk);
        await sayHello(walk, expected, 0);
        for (let round = first; round <= last; round++)
          await killOnce(walk, { expected, round, received });
        console.log(expected.lossReport);
      },
    );
  }

  after(() => {
    console.log(
      `      the last turn was back after ${medianOf(waits)} ms (median of ${waits.length})`,
    );
  });
});

/** Milliseconds from each kill until the panel showed the last turn again. */
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
  await panel.messages.last().waitFor();
  waits.push(performance.now() - killed);
  await expected.checkPanel(walk);
  await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
  await checkUsage(walk, expected, sent);
  assert.deepEqual(received, sent, 'Nothing is sent again by itself.');
  await sayHello(walk, expected, round);
  await expected.checkJournal(walk, killed);
  assert.equal(await readFile(join(workspace, code), 'utf8'), before);
}

async function reload({ workbench }: Journey, { draft }: Expected): Promise<void> {
  // VS Code in a browser writes its state with a delay, and asks for confirmation if it is reloaded
  // before that.
  await workbench.stored(draft);
  await workbench.reload();
}

/** Token usage includes every request, the interrupted ones as estimates. */
async function checkUsage(walk: Journey, expected: Expected, sent: Received): Promise<void> {
  const estimated = expected.hasInterrupted;
  const { chat, today } = await readUsageTab(walk);
  assert.deepEqual(chat, { requests: sent.chat, estimated });
  assert.deepEqual(today, { requests: sent.all, estimated });
}

/** A complete turn, which sends the draft and the attachment too. */
async function sayHello({ panel }: Journey, expected: Expected, round: number): Promise<void> {
  const message = `Hello ${round}`;
  await panel.ask(message);
  await panel.settled();
  expected.turns.push({ message, reply: `Reply to ${message}` });
  expected.draft = '';
  expected.isAttached = false;
}

async function replyStreams(walk: Journey, expected: Expected, round: number): Promise<void> {
  const { panel } = walk;
  const message = `Count ${round}`;
  await panel.ask(message);
  const samples = expected.addInterrupted(message, counting);
  const turn = panel.transcript.locator('[data-turn]').last();
  const reply = turn.getByRole('article', { name: 'Assistant' });
  // A request is counted from the moment that it is sent.
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
  const message = `Change ${round}`;
  await panel.ask(message);
  expected.addInterrupted(message, '');
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
  // Longer than the delay of auto save.
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

/** Types key by key, then waits 200 ms. */
async function typeDraft({ panel }: Journey, expected: Expected, round: number): Promise<void> {
  expected.draft = `Draft ${round}${'x'.repeat(random.below(20))}`;
  await panel.input.pressSequentially(expected.draft, { delay: random.below(20) });
  await setTimeout(200);
}
