import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { modelAnswering } from '../support/modelSaying.ts';
import { until } from '../support/until.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { Keyboard, untilEnabled } from './support/keyboard.ts';
import { lastRequest } from './support/lastRequest.ts';

const edit = {
  path: 'src/temperature.ts',
  edits: [{ search: '/ 5 + 32', replace: '/ 5 + 32.0' }],
};
const essay = 'Write 3000 words about weather stations.';

const script = modelAnswering({
  'Be more precise.': [[['edit_file', edit]], 'It is more precise now.'],
});

/** Counts the steps of a person with a keyboard. Typing a message doesn't count. */
class Hands {
  readonly #walk: Journey;
  #steps = 0;

  constructor(walk: Journey) {
    this.#walk = walk;
  }

  async press(key: string): Promise<void> {
    this.#steps++;
    await this.#walk.workbench.page.keyboard.press(key);
  }

  /** Types into the focused element, which must be the composer. */
  async type(text: string): Promise<void> {
    await this.#walk.panel.frame.locator('.message-field:focus').waitFor();
    await this.#walk.workbench.page.keyboard.insertText(text);
  }

  /** Number of steps since the last call. */
  took(): number {
    const steps = this.#steps;
    this.#steps = 0;
    return steps;
  }
}

describe('journey: few steps', () => {
  journey('with the keyboard alone', { service: { script, pace: 20 } }, async (walk) => {
    await connect(walk);
    const keyboard = await Keyboard.watch(walk);
    const hands = new Hands(walk);
    await askAboutSelection(walk, hands);
    await switchModel(walk, hands);
    await allowEdit(walk, hands);
    await stop(walk, hands);
    keyboard.check();
  });
});

async function askAboutSelection(walk: Journey, hands: Hands): Promise<void> {
  const { workbench, panel, picture } = walk;
  await workbench.openFile('temperature.ts');
  await workbench.selectLines(8, 10);
  await hands.press('Control+Alt+A');
  await hands.type('What is this?');
  await picture('1-selection-added');
  await hands.press('Enter');
  assert.equal(hands.took(), 2);
  await panel.messages.filter({ hasText: 'What is this?' }).waitFor();
  await panel.settled();
  assert.match(JSON.stringify(lastRequest(walk).messages), /return \(celsius \* 9\) \/ 5 \+ 32/);
}

async function switchModel(walk: Journey, hands: Hands): Promise<void> {
  const { workbench, panel, picture } = walk;
  await hands.press('Control+Alt+M');
  await workbench.quickInput.locator('input.input').fill('mistral-large');
  await workbench.rows.filter({ hasText: 'mistral-large' }).first().waitFor();
  await picture('2-models');
  await hands.press('Enter');
  await hands.type('Be more precise.');
  assert.equal(hands.took(), 2);
  await panel.button(/^Model: .*mistral-large/).waitFor();
}

async function allowEdit(walk: Journey, hands: Hands): Promise<void> {
  const { workbench, panel, picture, workspace } = walk;
  await workbench.page.keyboard.press('Enter');
  await panel.button('Allow Once').waitFor();
  await picture('3-asks');
  await untilEnabled(panel.button('Allow Once'));
  await hands.press('Control+Enter');
  assert.equal(hands.took(), 1);
  await panel.settled();
  const code = await readFile(join(workspace, 'src/temperature.ts'), 'utf8');
  assert.match(code, /\/ 5 \+ 32\.0/);
  await picture('4-changed');
}

async function stop(walk: Journey, hands: Hands): Promise<void> {
  const { workbench, panel, picture, service } = walk;
  const earlier = await panel.replies.count();
  await hands.type(essay);
  await workbench.page.keyboard.press('Enter');
  await panel.longerThan(panel.replies.nth(earlier), 100);
  await hands.press('Escape');
  assert.equal(hands.took(), 1);
  await panel.settled();
  await panel.replies.last().getByText('You stopped this reply.').waitFor();
  await until(() => service.requests.at(-1)?.aborted === true);
  await picture('5-stopped');
}
