import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sampleFiles } from '../../src/local/demo/sample.ts';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { modelSaying } from '../support/modelSaying.ts';
import { connect } from './support/connect.ts';
import { allowEdits, allowOnce } from './support/allowEdits.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { Keyboard } from './support/keyboard.ts';
import { lastRequest } from './support/lastRequest.ts';
import { withoutCommands } from './support/reasons.ts';
import { press } from './support/press.ts';

const planning = modelSaying(
  [['read_file', { path: 'src/temperature.ts' }]],
  'I read the conversions.\n\n- [ ] Add `humidity.ts`.\n- [ ] Add `humidity.test.ts`.\n\nShall I?',
);
const acting = modelSaying(
  [['create_file', { path: 'humidity.ts', content: 'export const unit = "%";\n' }]],
  [['create_file', { path: 'humidity.test.ts', content: 'export {};\n' }]],
  'Both files are there.\n\n- [x] Add `humidity.ts`.\n- [x] Add `humidity.test.ts`.',
);
const script: Script = (request) => {
  const message = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return (message.includes('- [x]') ? acting : planning)(request);
};

const writing = ['edit_file', 'create_file', 'rename_symbol', 'run_command'];

/** The message has more words than the person typed. */
async function askForPlan({ input, messages }: Journey['panel']): Promise<void> {
  await input.fill('/plan add humidity');
  await input.press('Enter');
  await messages.filter({ hasText: 'add humidity' }).waitFor();
}

describe('journey: a plan', () => {
  journey('plan, reload, start', { service: { script } }, async (walk) => {
    const { panel, picture, workbench } = walk;
    await connect(walk);
    await panel.button('Mode: Agent').waitFor();
    await askForPlan(panel);
    await panel.settled();
    await panel.button('Mode: Ask').waitFor();
    await panel.button('Edit Plan').waitFor();
    const { tools } = lastRequest(walk);
    assert.ok(tools.includes('read_file'), tools.join(' '));
    assert.deepEqual(
      tools.filter((name) => writing.includes(name)),
      [],
    );
    await picture('1-plan');

    await workbench.reloadAfterSaving();
    await panel.show();
    await panel.button('Start').waitFor();
    await panel.input.focus();
    const keyboard = await Keyboard.watch(walk);
    const start = panel.button('Start');
    await keyboard.reach(() => start.evaluate((node) => node.matches(':focus')), 'Shift+Tab');
    await keyboard.enter(start);
    keyboard.check();
    await panel.button('Mode: Agent').waitFor();
    await panel.frame.locator('.message-field:focus').waitFor();
    assert.equal(await start.count(), 0);
    await picture('2-started');
    await allowOnce(walk, 2);
    await panel.settled();
    const boxes = panel.replies.last().getByRole('checkbox', { name: 'Task', checked: true });
    assert.equal(await boxes.count(), 2);
    assert.equal(await start.count(), 0);
    assert.ok(lastRequest(walk).tools.includes('create_file'));
    await picture('3-carried-out');
  });

  journey('edit the plan before it starts', { service: { script } }, async (walk) => {
    const { panel, picture } = walk;
    await connect(walk);
    await askForPlan(panel);
    await panel.settled();
    await panel.button('Edit Plan').click();
    await panel.button('Mode: Agent').waitFor();
    await panel.frame.locator('.message-field:focus').waitFor();
    assert.match(
      await panel.input.inputValue(),
      /^Carry out the plan[^]*- \[ \] Add `humidity\.ts`/,
    );
    await picture('1-edited');
    await panel.input.press('Enter');
    await panel.messages.nth(1).waitFor();
    await allowOnce(walk, 2);
    await panel.settled();
    assert.equal(await panel.button('Start').count(), 0);
  });

  journey(
    'the demo carries out its plan',
    { freshWindow: true, not: withoutCommands },
    async (walk) => {
      const { panel, picture, workspace } = walk;
      for (const [path, text] of Object.entries(sampleFiles)) {
        await mkdir(dirname(join(workspace, path)), { recursive: true });
        await writeFile(join(workspace, path), text);
      }
      await panel.showEmpty();
      await panel.button('Try the Demo').click();
      await panel.button(/^Model: ./).waitFor();
      await askForPlan(panel);
      await press(panel.button('Start'));
      await allowEdits(walk, 1);
      // The test is not run: not every machine has Python.
      await decide(walk, 'Deny');
      await panel.replies.nth(1).getByText('couldn’t see the test pass').waitFor();
      await panel.settled();
      const report = await readFile(join(workspace, 'server/report.py'), 'utf8');
      assert.match(report, /width = max/);
      await picture('1-carried-out');
    },
  );
});
