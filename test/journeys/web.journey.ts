import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHttpService, type HttpService } from '../support/httpService.ts';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { modelAnswering } from '../support/modelSaying.ts';
import { until } from '../support/until.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { readUsageTab } from './support/usageTab.ts';

/** Moves Aside into the extension host of a browser, which has no Node. */
const settings = { 'remote.extensionKind': { 'aside-chat.aside': ['web'] } };

const code = 'return (celsius * 9) / 5 + 32;';
const turn = modelAnswering({
  'Make it simpler.': [
    [
      ['list_files', {}],
      ['search_text', { query: 'celsius' }],
      ['read_file', { path: 'src/temperature.ts' }],
    ],
    [
      [
        'edit_file',
        {
          path: 'src/temperature.ts',
          edits: [{ search: code, replace: 'return celsius * 1.8 + 32;' }],
        },
      ],
    ],
    'It multiplies once now.',
  ],
});
/** Code commands get code. */
const script: Script = (request) =>
  turn(request) ?? { content: '```ts\nexport const boilingPoint = 100;\n```' };

describe('journey: the web', () => {
  journey(
    'tools and edits in a browser',
    { freshWindow: true, settings, service: { script } },
    async (walk) => {
      const { workbench, panel, picture, workspace } = walk;
      const path = join(workspace, 'src/temperature.ts');
      await connect(walk);
      await panel.ask('Make it simpler.');
      const allow = panel.calls('edit_file').getByRole('button', { name: 'Allow Once' });
      await allow.waitFor();
      await picture('1-asks-for-an-edit');
      const { tools } = lastRequest(walk);
      assert.ok(tools.includes('search_text') && !tools.includes('run_command'), tools.join(' '));
      await allow.click();
      await panel.settled();
      await panel.replies.first().getByText('multiplies once').waitFor();
      await picture('2-answered');
      assert.match(readFileSync(path, 'utf8'), /celsius \* 1\.8/);
      assert.deepEqual((await readUsageTab(walk)).chat, { requests: 3, estimated: false });

      await workbench.command('Aside: Manage Tools…');
      await workbench.rows.getByText('Commands need VS Code on the desktop').waitFor();
      await picture('3-no-commands');
      await workbench.page.keyboard.press('Escape');

      await workbench.openFile('temperature.ts');
      await workbench.page.keyboard.press('ControlOrMeta+A');
      await workbench.command('Aside: Improve');
      const lens = workbench.page.locator('.codelens-decoration a', { hasText: 'Accept' }).first();
      await lens.waitFor();
      await picture('4-a-review');
      await lens.click();
      await workbench.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
      await workbench.page.keyboard.press('ControlOrMeta+S');
      await until(() => readFileSync(path, 'utf8').includes('boilingPoint'));

      await workbench.reload();
      await panel.show();
      await panel.replies.first().getByText('multiplies once').waitFor();
    },
  );

  const connecting = { ...settings, 'aside.model': 'mistral/mistral-small' };
  journey(
    'services that block the browser',
    { freshWindow: true, settings: connecting },
    async (walk) => {
      const { workbench, panel, picture } = walk;
      const gone = await startHttpService();
      await gone.close();
      const keyless = await startHttpService({ pages: 'requests without a key' });
      const closed = await startHttpService({ pages: 'nothing' });
      try {
        await workbench.command('Aside: Connect to a Service…');
        await tryToConnect(walk, gone, "Can't connect to 127.0.0.1");
        await decide(walk, 'Change Address…');
        await tryToConnect(walk, keyless, 'list authorization, content-type in');
        await picture('1-no-key');
        await decide(walk, 'Change Address…');
        const origin = new URL(workbench.page.url()).origin;
        await tryToConnect(walk, closed, `have the service allow the origin ${origin}.`);
        await picture('2-no-browser');
        await decide(walk, 'Store Without Checking');
        await panel.ask('Hello');
        await panel.alert.getByText("doesn't allow requests from the browser (CORS)").waitFor();
        await panel.alert.getByRole('button', { name: 'Connect' }).waitFor();
        await picture('3-alert');
        const seen = [keyless, closed].flatMap(({ service }) => service.requests);
        assert.ok(seen.length > 0);
        assert.ok(
          seen.every(({ status }) => status !== 200),
          'A key was sent.',
        );
      } finally {
        await Promise.all([keyless.close(), closed.close()]);
      }
    },
  );
});

async function tryToConnect(
  { workbench }: Journey,
  { baseUrl, key }: HttpService,
  problem: string,
): Promise<void> {
  await workbench.answer('Connect to a Service', baseUrl);
  await workbench.answer('API Key for 127.0.0.1', key);
  await workbench.dialog.getByText(problem).waitFor();
}
