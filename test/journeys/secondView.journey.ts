import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { edit, longStories } from './support/longStories.ts';
import { Panel } from './support/panel.ts';
import { withoutTwoViews } from './support/reasons.ts';

describe('journey: two views', () => {
  journey(
    'two views stream at once',
    { freshWindow: true, ...longStories, not: withoutTwoViews },
    async (walk) => {
      await connect(walk);
      const second = new Panel(walk.workbench, 'secondary');
      await showTheSameChat(walk, second);
      await streamInBoth(walk, second);
      await decideInOne(walk, second);
      await reload(walk, second);
    },
  );
});

async function showTheSameChat({ workbench, panel, picture }: Journey, second: Panel) {
  await panel.ask('Is it green?');
  await panel.replies.first().getByText('Yes, it is.').waitFor();
  await panel.settled();
  await workbench.command('Aside: Open Chat in Secondary Side Bar');
  await second.replies.first().getByText('Yes, it is.').waitFor();
  await second.input.fill('Typed in the second view');
  await panel.holds('Typed in the second view');
  await panel.input.fill('Typed in the first view');
  await second.holds('Typed in the first view');
  await panel.input.fill('');
  await second.holds('');
  await picture('1-the-same-chat');
}

async function streamInBoth({ workbench, panel, picture }: Journey, second: Panel) {
  await panel.ask('A story about rain');
  await panel.longerThan(panel.replies.nth(1), 50);
  await second.longerThan(second.replies.nth(1), 50);
  // The first view has the focus: a button in the title is about its own view.
  await workbench.titleButton('secondary', 'New Chat').click();
  await second.questions.first().waitFor({ state: 'detached' });
  await second.ask('A story about snow');
  await second.longerThan(second.replies.first(), 50);
  assert.equal(await panel.questions.count(), 2);
  await picture('2-both-stream');
  await second.input.press('Escape');
  await second.settled();
  await panel.button('Stop').waitFor();
  await panel.input.focus();
  await workbench.command('Aside: Stop');
  await panel.settled();
}

async function decideInOne(walk: Journey, second: Panel) {
  const { workbench, panel, picture, workspace, service } = walk;
  await panel.input.focus();
  await workbench.command('Aside: New Chat');
  await panel.questions.first().waitFor({ state: 'detached' });
  await panel.ask('Be more precise.');
  await panel.button('Allow Once').waitFor();
  await workbench.command('Aside: Open Chat in Secondary Side Bar');
  await second.button('Allow Once').waitFor();
  await second.input.fill('Is it exact?');
  await second.input.press('Enter');
  for (const view of [panel, second]) await view.frame.getByText('Is it exact?').waitFor();
  await picture('3-waits-in-both');
  await second.button('Allow Once').click();
  for (const view of [panel, second]) {
    await view.replies.first().getByText('It is more precise now.').waitFor();
    await view.replies.nth(1).getByText('Yes, it is.').waitFor();
    assert.equal(await view.button('Allow Once').count(), 0);
    assert.equal(await view.questions.count(), 2);
  }
  assert.match(await readFile(join(workspace, edit.path), 'utf8'), /32\.0;/);
  const asked = service.requests.filter(({ path }) => path.endsWith('/completions'));
  assert.equal(asked.length, 6);
}

async function reload({ workbench, panel, picture }: Journey, second: Panel) {
  await panel.input.focus();
  await workbench.command('Aside: New Chat');
  await panel.questions.first().waitFor({ state: 'detached' });
  await panel.ask('Is it blue?');
  await panel.replies.first().getByText('Yes, it is.').waitFor();
  await panel.settled();
  await workbench.reloadAfterSaving();
  await panel.show();
  await panel.questions.filter({ hasText: 'Is it blue?' }).waitFor();
  await second.questions.filter({ hasText: 'Be more precise.' }).waitFor();
  await picture('4-after-reload');
}
