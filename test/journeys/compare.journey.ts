import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import * as z from 'zod/mini';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { Panel } from './support/panel.ts';
import { withoutCommands } from './support/reasons.ts';

const small = 'mistral/mistral-small';
const other = 'deepseek/reasoner';
const message = 'Show me markdown: a list, a table and some code.';

const body = z.object({
  model: z.string(),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
});

function column({ panel }: { readonly panel: Panel }, model: string): Locator {
  return panel.transcript.getByRole('region', { name: model, exact: true });
}

/** Sends the draft to the current model and a second one. */
async function compare(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  await panel.input.fill(message);
  await workbench.command('Aside: Compare Models…');
  await workbench.rows.first().waitFor();
  await workbench.quickInput.getByText('Select two or three models.').waitFor();
  await picture('1-models');
  await workbench.tick(other);
}

describe('journey: compare', () => {
  journey('compare two models', { service: { pace: 25 }, not: withoutCommands }, async (walk) => {
    const { workbench, panel, picture, service } = walk;
    await connect(walk);
    await compare(walk);
    await panel.button(`Stop ${small}`).waitFor();
    await panel.button(`Stop ${other}`).waitFor();
    for (const model of [small, other])
      await panel.longerThan(column(walk, model).getByRole('article'), 20);
    await picture('2-streaming');
    await panel.settled();
    assert.equal(await panel.input.inputValue(), '');
    await column(walk, small).getByRole('table').waitFor();
    await picture('3-narrow');
    await workbench.setTheme('light');
    await picture('4-light');

    // A reload keeps both replies and selects neither.
    await workbench.reloadAfterSaving();
    await panel.input.waitFor();
    await panel.button(`Continue with This Reply: ${other}`).waitFor();

    await workbench.command('Aside: Open Chat in Editor');
    const tab = new Panel(workbench, 'editor');
    await column({ panel: tab }, other).getByRole('table').waitFor();
    await picture('5-wide');
    await tab.button(`Continue with This Reply: ${other}`).click();
    await tab.transcript.getByText('2 of 2', { exact: true }).waitFor();
    assert.equal(await tab.transcript.getByRole('region').count(), 0);
    await picture('6-chosen');

    const [first, second] = service.requests.flatMap((request) => {
      const { data } = body.safeParse(request.body);
      return data === undefined ? [] : [data];
    });
    // Both requests are sent at once, in any order.
    assert.deepEqual([first?.model, second?.model].toSorted(), [small, other].toSorted());
    for (const { tools } of [first, second].filter((request) => request !== undefined)) {
      const names = tools.map((tool) => tool.function.name);
      assert.ok(names.includes('read_file'));
      for (const name of ['edit_file', 'create_file', 'rename_symbol', 'run_command'])
        assert.ok(!names.includes(name), name);
    }
    await tab.ask('Hello');
    await tab.settled();
    const { messages, tools } = lastRequest(walk);
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    );
    assert.ok(tools.includes('edit_file') && tools.includes('run_command'));

    // The previous selection of models is restored.
    await workbench.setTheme('dark');
    await tab.input.fill('What can you do?');
    await workbench.command('Aside: Compare Models…');
    await workbench.quickInput.getByText(/tokens to send/).waitFor();
    await workbench.tick('qwen/thinker-32b');
    await tab.button('Continue with This Reply: qwen/thinker-32b').waitFor();
    await tab.settled();
    assert.equal(await tab.transcript.getByRole('region').count(), 3);
    await picture('7-three');
  });
});
