import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { usageItem } from './support/journeyWindow.ts';

const body = z.object({ model: z.string() });

describe('journey: models', () => {
  journey('switch the model in the middle of a chat', {}, async (walk) => {
    const { workbench, panel, picture, service } = walk;
    await connect(walk);
    await panel.ask('Hello');
    await panel.settled();
    await workbench.command('Aside: Select Model…');
    await workbench.rows.first().waitFor();
    await picture('1-list');
    await workbench.pick('deepseek/reasoner');
    await panel.button('Model: deepseek/reasoner').waitFor();
    await workbench.statusItem(usageItem).getByText('reasoner').waitFor();
    await panel.ask('Think about the weather.');
    await panel.settled();
    await panel.replies
      .nth(1)
      .getByText(/^Thought/)
      .waitFor();
    await picture('2-reasoner');
    const models = service.requests
      .filter(({ path }) => path.endsWith('/completions'))
      .map((request) => body.parse(request.body).model);
    assert.deepEqual(models, ['mistral/mistral-small', 'deepseek/reasoner']);
  });
});
