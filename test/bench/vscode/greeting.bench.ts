import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import * as z from 'zod/mini';
import { chooseMode } from '../../journeys/support/chooseMode.ts';
import { connect } from '../../journeys/support/connect.ts';
import { decide } from '../../journeys/support/decide.ts';
import { usageItem } from '../../journeys/support/journeyWindow.ts';
import { Panel } from '../../journeys/support/panel.ts';
import { localModels } from '../../../src/local/models.ts';
import { startHttpService, type HttpService } from '../../support/httpService.ts';
import { modelSaying } from '../../support/modelSaying.ts';
import { until } from '../../support/until.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { figureRow, ratioRow } from '../row.ts';
import type { Table } from '../table.ts';
import { askAnew } from './asidePanel.ts';
import { BuiltInChat } from './builtInChat.ts';
import { withStand, type Stand } from './stand.ts';

/** Parts of a request that a model reads. */
const prompt = z.object({
  messages: z.array(z.looseObject({ content: z.optional(z.unknown()) })),
  tools: z.optional(z.array(z.unknown())),
});

/** The only model, so that both chats use it. */
const model = 'mistral/mistral-small';

/** The last one has all tools. */
const modes = ['Chat', 'Ask', 'Agent'] as const;

/** Measures the prompt of the shortest message: the rules and tools that are sent with it. */
export async function bench(table: Table): Promise<void> {
  const models = localModels.filter(({ id }) => id === model);
  const service = await startHttpService({ script: modelSaying('Hello **to you**.'), models });
  const options = { samples: [], prepare: offerOwnModels };
  try {
    await withStand(table, options, (stand) => measure(stand, service, table));
  } finally {
    await service.close();
  }
}

/** Lets VS Code's built-in chat use Aside's models without signing in. */
async function offerOwnModels({ user }: { readonly user: string }): Promise<void> {
  await mkdir(join(user, 'User'), { recursive: true });
  const models = JSON.stringify([{ name: 'Aside', vendor: 'aside' }]);
  await writeFile(join(user, 'User/chatLanguageModels.json'), models);
}

async function measure(
  { newPage, newWindow }: Stand,
  service: HttpService,
  table: Table,
): Promise<void> {
  const page = await newPage();
  page.setDefaultTimeout(120_000);
  const workbench = new Workbench(page, usageItem);
  await workbench.open(await newWindow());
  const panel = new Panel(workbench);
  const { baseUrl, key } = service;
  await connect({ workbench, panel, baseUrl, key }, model, true);
  for (const mode of modes) {
    await chooseMode({ workbench, panel }, mode);
    await askAnew(workbench, panel, 'Hello');
    await panel.settled();
    const name = `Prompt of "Hello" in the mode ${mode}`;
    table.add(figureRow({ name, value: lastPrompt(service), unit: 'tokens' }));
  }
  const ours = lastPrompt(service);

  const chat = new BuiltInChat(workbench);
  await chat.enable(model);
  const before = service.service.requests.length;
  await chat.askAnew('Hello');
  await decide({ workbench }, 'Allow');
  await until(() => service.service.requests.length > before, 120_000);
  table.add(
    ratioRow({
      name: 'Prompt of "Hello" with all tools',
      against: "VS Code's own chat, same model",
      unit: 'tokens',
      goal: 0.25,
      ours,
      theirs: lastPrompt(service),
    }),
  );
}

/** Tokens of the messages and tools in the last completion request. */
function lastPrompt({ service }: HttpService): number {
  const last = service.requests.findLast(({ path }) => path.endsWith('/completions'));
  assert.ok(last, 'There was no request.');
  const { messages, tools = [] } = prompt.parse(last.body);
  return countTokens(JSON.stringify(messages)) + countTokens(JSON.stringify(tools));
}
