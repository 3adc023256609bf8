import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { localModels, thinkingModels } from '../../src/local/models.ts';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';

const model = 'deepseek/thinker';
const sentBody = z.object({
  reasoning_effort: z.optional(z.string()),
  messages: z.array(z.looseObject({ role: z.string() })),
});
const settings = z.object({ 'aside.models': z.record(z.string(), z.unknown()) });

const plan =
  'The person asks about temperatures, so the file comes first.\n\nThen I can say what it does, in one sentence, without a guess about its callers.';
const conclusion = 'Only the conversion is in it.\n\nThat is what the person wants to know.';

/** Thinks before it reads a file, and again before it replies. */
const script: Script = ({ messages }) => {
  if (messages.at(-1)?.role === 'tool')
    return { reasoning: conclusion, content: 'It converts degrees Celsius to Fahrenheit.' };
  const path = 'src/temperature.ts';
  const toolCalls = [{ name: 'read_file', arguments: JSON.stringify({ path }) }];
  return { reasoning: plan, content: '', toolCalls };
};

const service = { models: [...localModels, ...thinkingModels], listsFacts: true, pace: 40, script };

describe('journey: thinking', () => {
  journey(
    'think, read and reply, with the reasoning sent back',
    { service, freshWindow: true },
    async (walk) => {
      const { panel, picture } = walk;
      await connect(walk, model);
      await thinkHard(walk);
      await panel.ask('What does src/temperature.ts do?');
      const reasoning = panel.replies.first().getByRole('group', { name: 'Reasoning' });
      await reasoning.first().getByText('The person asks about temperatures').waitFor();
      await picture('2-first-line');
      await panel.settled();
      const costs = panel.replies
        .first()
        .getByText(/^Thought for .* s, \d+ reasoning tokens, <?\$0\.\d+$/);
      await costs.nth(1).waitFor();
      await picture('3-thought');
      await panel.ask('And again?');
      await panel.settled();
      assertSent(walk);
      await seeDetails(walk);
    },
  );
});

/** The effort is selected in the composer and stored for the model. */
async function thinkHard({ workbench, panel, picture, userFolder }: Journey): Promise<void> {
  await panel.button('Configure').click();
  const form = panel.frame.getByRole('dialog', { name: 'Chat Options' });
  const high = form
    .getByRole('radiogroup', { name: 'Effort' })
    .getByRole('radio', { name: 'High' });
  await high.click();
  await form.press('Escape');
  // A form that opens shows what is stored.
  await panel.button('Configure').click();
  await form.getByRole('radio', { name: 'High', checked: true }).waitFor();
  await picture('1-effort');
  await form.press('Escape');
  await panel.button(`Model: ${model}`).click();
  await workbench.rows.filter({ hasText: model }).filter({ hasText: 'effort: High' }).waitFor();
  await workbench.page.keyboard.press('Escape');
  const file = await readFile(join(userFolder, 'User/settings.json'), 'utf8');
  const { 'aside.models': models } = settings.parse(JSON.parse(file));
  assert.deepEqual(models, { [model]: { reasoningEffort: 'high' } });
}

/** One request is refused; the retry and all later ones send the reasoning back. */
function assertSent({ service: { requests } }: Journey): void {
  const sent = requests.filter(({ path }) => path.endsWith('/completions'));
  const bodies = sent.map(({ body }) => sentBody.parse(body));
  assert.deepEqual(
    sent.map(({ status }, index) => [
      status,
      bodies[index]?.messages.flatMap(({ reasoning_content }) => reasoning_content ?? []),
    ]),
    [
      [200, []],
      [400, []],
      [200, [plan]],
      [200, []],
      [200, [plan]],
    ],
  );
  assert.ok(bodies.every(({ reasoning_effort }) => reasoning_effort === 'high'));
}

async function seeDetails({ workbench, panel, picture }: Journey): Promise<void> {
  await panel.button(`Model: ${model}`).click();
  const row = workbench.rows.filter({ hasText: model }).first();
  await row.getByText('effort: High').waitFor();
  await row.hover();
  await row.getByRole('button', { name: 'Set Effort…' }).click();
  await workbench.rows.filter({ hasText: 'Medium' }).waitFor();
  await picture('4-efforts');
  await workbench.pick('Default');
  await row.hover();
  await row.getByRole('button', { name: 'Show Details' }).click();
  await workbench.rows
    .filter({ hasText: 'Reasoning sent back: Since the last message' })
    .filter({ hasText: 'from a service error' })
    .waitFor();
  await picture('5-details');
  await workbench.pick('Clear Learned Details');
}
