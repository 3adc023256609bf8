import assert from 'node:assert/strict';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { usageItem } from './support/journeyWindow.ts';
import { modelAnswering } from '../support/modelSaying.ts';
import { press } from './support/press.ts';

const files = ['README.md', 'docs/stations.md', 'src/temperature.ts', 'server/main.go'];

const script = modelAnswering({
  'Look around.': files.map((path) => [['read_file', { path }]] as const),
  'Look at it.': [[['read_file', { path: 'README.md' }]]],
});
const settings = { 'aside.tools.maxRounds': 2 };

describe('journey: limits of a turn', () => {
  journey(
    'pause a model that keeps calling tools',
    { settings, service: { script } },
    async (walk) => {
      await connect(walk);
      await pauseAfterRounds(walk);
      await pauseAtRepetition(walk);
      await walk.panel.ask('Hello');
      await walk.panel.settled();
      assert.equal(walk.service.requests.at(-1)?.status, 200);
    },
  );

  const budget = { 'aside.budget': { chat: 4000 } };
  journey(
    'see the usage, and stop at a budget',
    { settings: budget, service: { script } },
    async (walk) => {
      await connect(walk);
      await seeUsage(walk);
      await stopAtBudget(walk);
      await raiseBudget(walk);
    },
  );
});

async function seeUsage({ workbench, panel, picture }: Journey): Promise<void> {
  await panel.ask('Hello');
  await panel.settled();
  const item = workbench.statusItem(usageItem);
  await item.getByText(/mistral-small [\d.]+k?$/).waitFor();
  await item.click();
  const tab = workbench.webview('aside-chat.aside', 'editor');
  const chat = tab.getByRole('region', { name: 'This Chat', exact: true });
  await chat.getByText(/1 request\b/).waitFor();
  await picture('usage');
}

async function stopAtBudget(walk: Journey): Promise<void> {
  const { panel, picture, service, workbench } = walk;
  await panel.ask('Look around.');
  await panel.alert.getByText('Not sent: over the chat budget.').waitFor();
  await panel.settled();
  await panel.alert.getByRole('button', { name: 'Raise Budget…' }).waitFor();
  await panel.cost.getByText('Over the chat budget').waitFor();
  const item = workbench.statusItem(usageItem);
  await item.and(workbench.page.locator('.warning-kind, .error-kind')).waitFor();
  assert.equal(await workbench.toast('budget').count(), 0, 'The alert says it, and nothing else.');
  await picture('budget-used-up');
  const sent = service.requests.length;
  assert.ok(sent >= 2, 'The rounds that the budget has room for were sent.');
  await panel.ask('Hello');
  await panel.settled();
  assert.equal(service.requests.length, sent, 'Nothing more was sent.');
  await panel.alert.getByRole('button', { name: 'New Chat' }).click();
  await panel.alert.waitFor({ state: 'detached' });
  await panel.ask('Hello');
  await panel.settled();
  assert.equal(await panel.alert.count(), 0);
  assert.equal(service.requests.length, sent + 1);
}

async function raiseBudget({ workbench, panel, picture, service }: Journey): Promise<void> {
  await panel.ask('Look around.');
  await panel.alert.getByText('Not sent: over the chat budget.').waitFor();
  await panel.settled();
  const sent = service.requests.length;
  await panel.alert.getByRole('button', { name: 'Raise Budget…' }).click();
  await workbench.rows.getByText('4,000 tokens').waitFor();
  await picture('budget-choices');
  await workbench.pick('Limit for Each Chat');
  await workbench.answer('Limit for Each Chat', 'lots');
  await workbench.quickInput.getByText('Enter a number of tokens').waitFor();
  await picture('budget-amount');
  await workbench.answer('Limit for Each Chat', '50k');
  await panel.cost.getByText('Over the chat budget').waitFor({ state: 'detached' });
  await panel.ask('Hello');
  await panel.settled();
  assert.equal(service.requests.length, sent + 1);
}

async function pauseAfterRounds({ panel, picture, service }: Journey): Promise<void> {
  const { paused } = panel;
  const before = service.requests.length;
  await panel.ask('Look around.');
  await paused.getByText('Paused after 2 tool rounds.').waitFor();
  await paused.getByText('tokens so far').waitFor();
  await picture('1-paused-after-rounds');
  assert.equal(service.requests.length, before + 2);
  await press(paused.getByRole('button', { name: 'Continue' }));
  await paused.getByText('Paused after 4 tool rounds.').waitFor();
  assert.equal(service.requests.length, before + 4);
  await paused.getByRole('button', { name: 'Stop' }).click();
  await panel.settled();
  assert.equal(await paused.count(), 0);
  assert.equal(service.requests.length, before + 4, 'Nothing more was asked.');
}

async function pauseAtRepetition({ panel, picture }: Journey): Promise<void> {
  const { paused } = panel;
  const calls = panel.replies.last().getByRole('group', { name: 'Tool call: read_file' });
  await panel.ask('Look at it.');
  await paused.getByText('Paused after 2 tool rounds').waitFor();
  await press(paused.getByRole('button', { name: 'Continue' }));
  await paused.getByText('the model keeps repeating the same read_file call').waitFor();
  await picture('2-paused-at-a-repetition');
  assert.equal(await calls.count(), 2, 'The third is not made unasked.');
  await paused.getByRole('button', { name: 'Stop' }).click();
  await panel.settled();
}
