import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { until } from '../support/until.ts';
import { connect } from './support/connect.ts';
import { journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { Panel } from './support/panel.ts';
import { withoutCommands } from './support/reasons.ts';

const models = ['mistral/mistral-small', 'deepseek/reasoner', 'qwen/thinker-32b'] as const;
const [small, second, third] = models;
const message = 'Is it green?';

const body = z.object({
  model: z.string(),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
});

describe('journey: compare', () => {
  journey('compare three models, and go on with one', { not: withoutCommands }, async (walk) => {
    const { workbench, panel, picture, service } = walk;
    await connect(walk);
    await panel.input.fill(message);
    await workbench.command('Aside: Compare Models…');
    await workbench.rows.first().waitFor();
    await workbench.quickInput.locator('input.input').fill(second);
    await workbench.rows.filter({ hasText: second }).click();
    await workbench.quickInput.getByText(/tokens to send/).waitFor();
    await picture('1-models');
    await workbench.tick(third);

    const tabOf = (name: string) =>
      workbench.page.locator('.tab', { hasText: `${message} (${name})` });
    await tabOf('thinker-32b').waitFor();
    const requests = () =>
      service.requests.flatMap((request) => body.safeParse(request.body).data ?? []);
    await until(() => requests().length === models.length);
    await picture('2-copies');
    // One copy is enough to go on, and its page is found as the only one beside the sidebar.
    await tabOf('reasoner').click();
    await workbench.command('View: Close Editor');
    await tabOf('reasoner').waitFor({ state: 'detached' });
    const copy = new Panel(workbench, 'editor');
    await copy.longerThan(copy.replies.first(), 20);
    await copy.settled();
    const sent = requests();
    assert.deepEqual(sent.map(({ model }) => model).toSorted(), models.toSorted());
    for (const { model, tools } of sent) {
      const names = tools.map((tool) => tool.function.name);
      assert.ok(names.includes('read_file'));
      assert.equal(names.includes('edit_file'), model === small, model);
    }

    await copy.ask('Hello');
    await copy.settled();
    const { messages, tools } = lastRequest(walk);
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    );
    assert.ok(!tools.includes('edit_file'));
    await workbench.command('View: Close All Editors');
    await panel.settled();
    assert.equal(await panel.input.inputValue(), '');
    assert.equal(await panel.replies.count(), 1);
  });
});
