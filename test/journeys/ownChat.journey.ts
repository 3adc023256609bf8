import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { localModels } from '../../src/local/models.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { withoutBuiltInChat } from './support/reasons.ts';

const model = 'mistral/mistral-small';
const location: { workspace?: string } = {};

/** VS Code's chat wraps the message in a prompt of its own. */
const script: Script = ({ messages, tools }) => {
  const lastMessage = messages.findLastIndex(({ role }) => role === 'user');
  const text = messages[lastMessage]?.content ?? '';
  const result = messages.slice(lastMessage).findLast(({ role }) => role === 'tool')?.content;
  if (result !== undefined)
    return { content: `It has **${result.length > 0 ? 'text' : 'none'}**.` };
  if (!text.includes('Read the code.')) return { content: 'Hello **from the service**.' };
  const file = join(location.workspace ?? '', 'src/temperature.ts');
  const parameters = { filePath: file, startLine: 1, endLine: 5 };
  assert.ok(tools?.some((tool) => tool.function.name === 'read_file'));
  const toolCalls = [{ name: 'read_file', arguments: JSON.stringify(parameters) }];
  return { content: 'I read it. ', toolCalls };
};

describe("journey: VS Code's built-in chat", () => {
  const service = { script, models: localModels.filter(({ id }) => id === model) };
  journey(
    'use a model and tools of Aside',
    { freshWindow: true, service, not: withoutBuiltInChat },
    async (walk) => {
      const { picture, workbench, userFolder, workspace } = walk;
      const { page } = workbench;
      location.workspace = workspace;
      // If nobody is signed in, VS Code's chat needs other models to be configured.
      const groups = [{ name: 'Aside', vendor: 'aside' }];
      await writeFile(join(userFolder, 'User/chatLanguageModels.json'), JSON.stringify(groups));
      await connect(walk, model, true);
      await enableBuiltInChat(walk);
      await workbench.command('Chat: Open Chat');
      await page.locator('.auxiliarybar .model-picker-name', { hasText: model }).waitFor();

      await ask(walk, 'Hello');
      await workbench.dialog.getByText(/the extension github\.copilot-chat/).waitFor();
      await picture('1-asks-first');
      await decide(walk, 'Allow');
      await replied(walk, 'Hello from the service.');
      await picture('2-reply');

      await ask(walk, 'Read the code.');
      await replied(walk, 'It has text.');
      await picture('3-tool');
      assert.deepEqual(sent(walk), ['models', 'completions', 'completions', 'completions']);
    },
  );
});

/** Paths of all requests. Fails if one of them wasn't answered with 200. */
function sent({ service }: Journey): readonly (string | undefined)[] {
  assert.ok(service.requests.every(({ status }) => status === undefined || status === 200));
  return service.requests.map(({ path }) => path.split('/').at(-1));
}

/** VS Code's chat comes from an extension that is disabled in a new profile. */
async function enableBuiltInChat({ workbench }: Journey): Promise<void> {
  await workbench.command('Extensions: Enable All Extensions');
  await workbench.command('Developer: Show Running Extensions');
  const rows = workbench.page.locator('.runtime-extensions-editor .monaco-list-row');
  await rows.filter({ hasText: /GitHub Copilot.*Activation: \d+ms/s }).waitFor();
  await workbench.page.keyboard.press('Escape');
  await rows.first().waitFor({ state: 'detached' });
}

async function ask({ workbench }: Journey, text: string): Promise<void> {
  await workbench.page.locator('.auxiliarybar .interactive-input-part .monaco-editor').click();
  await workbench.page.keyboard.insertText(text);
  await workbench.page.keyboard.press('Enter');
}

/** Text without Markdown syntax, as rendered. */
async function replied({ workbench }: Journey, text: string): Promise<void> {
  const replies = workbench.page.locator('.auxiliarybar .interactive-response');
  await replies.filter({ hasText: text }).last().waitFor();
}
