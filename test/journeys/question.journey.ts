import assert from 'node:assert/strict';
import { modelAnswering } from '../support/modelSaying.ts';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { withoutHostProcess } from './support/reasons.ts';
import { press } from './support/press.ts';

const database = {
  question: 'Where should the measurements be stored?',
  choices: ['SQLite: one file beside the program', 'Postgres: a server of its own'],
};
const stations = {
  question: 'Which stations?',
  choices: ['Bergen: rain', 'Oslo: snow', 'Tromsø: wind'],
  several: true,
};

const script = modelAnswering({
  'Store the measurements.': [[['ask_user', database]], 'They are in SQLite now.'],
  'Compare stations.': [[['ask_user', stations]], 'Compared.'],
});

describe('journey: a question of the model', () => {
  journey('answer a question', { service: { script } }, async (walk) => {
    const { panel, picture, workbench } = walk;
    const question = panel.frame.getByRole('group', { name: `Question: ${database.question}` });
    await connect(walk);
    await panel.ask('Store the measurements.');
    await question.getByRole('radiogroup').waitFor();
    await picture('1-asked');
    // With keys alone: to the choices, the second one and back, to the text, to the button.
    await question.getByRole('radio').first().focus();
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('ArrowUp');
    assert.ok(await question.getByRole('radio', { name: /SQLite/ }).isChecked());
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.type('In the folder data.');
    await picture('2-chosen');
    await workbench.page.keyboard.press('Tab');
    await question.getByRole('button', { name: 'Answer', disabled: false }).waitFor();
    await workbench.page.keyboard.press('Enter');
    await panel.replies.first().getByText('They are in SQLite now.').waitFor();
    await panel.settled();
    const answer = 'The person chose: SQLite\nThe person wrote: In the folder data.';
    assert.deepEqual(lastRequest(walk).results, [answer]);
    await picture('3-answered');
  });

  journey(
    'answer after a reload',
    { service: { script }, not: withoutHostProcess, freshWindow: true },
    async (walk) => {
      const { panel, picture, workbench, service } = walk;
      const question = panel.frame.getByRole('group', { name: `Question: ${stations.question}` });
      await connect(walk);
      await panel.ask('Compare stations.');
      await question.getByRole('checkbox').first().waitFor();
      await workbench.reload();
      await panel.show();
      await question.getByRole('checkbox', { name: /Bergen/ }).check();
      await question.getByRole('checkbox', { name: /Oslo/ }).check();
      await picture('1-after-reload');
      await press(question.getByRole('button', { name: 'Answer' }));
      await panel.replies.first().getByText('Compared.').waitFor();
      await panel.settled();
      assert.match(JSON.stringify(service.requests.at(-1)?.body), /The person chose: Bergen; Oslo/);
      await picture('2-goes-on');
    },
  );
});
