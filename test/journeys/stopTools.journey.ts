import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Script } from '../../src/local/completionsEndpoint.ts';
import { modelAnswering } from '../support/modelSaying.ts';
import { until } from '../support/until.ts';
import { connect } from './support/connect.ts';
import { decide } from './support/decide.ts';
import { journey, type Journey } from './support/journey.ts';
import { lastRequest } from './support/lastRequest.ts';
import { withoutCommands } from './support/reasons.ts';
import { isRunning } from '../support/isRunning.ts';

const code = 'src/temperature.ts';
const making = { command: 'echo made > made.txt' };

const calling = modelAnswering({
  'Change it.': [[['edit_file', { path: code, edits: [{ search: "'hot'", replace: "'red'" }] }]]],
  'Make it.': [[['run_command', making]]],
  'Run it.': [[['run_command', { command: 'sleep 641 & node src/endless.mjs' }]]],
  'List it.': [[['find_symbols', { path: 'notes.slow' }]]],
});

/** Writes a long text before the call. */
const script: Script = (request) => {
  if (request.messages.at(-1)?.content !== 'Explain it, then make it.') return calling(request);
  const toolCalls = [{ name: 'run_command', arguments: JSON.stringify(making) }];
  return { content: 'I explain it first. '.repeat(500), toolCalls };
};

const endless = `console.log('process', process.pid);\nsetInterval(() => undefined, 1000);\n`;

describe('journey: stopping a turn with tools', () => {
  journey(
    'stop in each state',
    { foreignTools: true, service: { script }, not: withoutCommands },
    async (walk) => {
      const { panel, picture, workspace, service } = walk;
      const before = await readFile(join(workspace, code), 'utf8');
      await writeFile(join(workspace, 'src/endless.mjs'), endless);
      await writeFile(join(workspace, 'notes.slow'), 'Nobody lists these.\n');
      await connect(walk);
      await whileStreaming(walk);
      await whilePanelAsks(walk);
      await whileDialogAsks(walk);
      await whileCommandRuns(walk);
      await whileReading(walk);

      await panel.ask('Hello');
      await panel.settled();
      await picture('3-goes-on');
      assert.equal(service.requests.at(-1)?.status, 200);
      const { results } = lastRequest(walk);
      assert.equal(results.length, 4, 'Nothing of the reply that was cut was called.');
      for (const result of results) assert.match(result, /The person stopped this/);
      assert.equal(await readFile(join(workspace, code), 'utf8'), before);
      assert.equal(existsSync(join(workspace, 'made.txt')), false);
    },
  );

  journey(
    'reload the window while a command runs',
    { service: { script }, not: withoutCommands },
    async (walk) => {
      const { workbench, panel, picture, workspace, service } = walk;
      await writeFile(join(workspace, 'src/endless.mjs'), endless);
      await connect(walk);
      const id = await startEndless(walk);
      const before = service.requests.length;
      await workbench.reload();
      await panel.show();
      await panel.calls('run_command').getByText('Stopped', { exact: true }).waitFor();
      await until(() => !isRunning(id));
      await picture('4-reloaded');
      const sent = service.requests.slice(before).map(({ body }) => JSON.stringify(body));
      assert.deepEqual(sent, [], 'The turn went on without the window.');
    },
  );
});

async function stop({ panel }: Journey): Promise<void> {
  await panel.button('Stop').click();
  await panel.settled();
}

async function whileStreaming(walk: Journey): Promise<void> {
  const { panel } = walk;
  await panel.ask('Explain it, then make it.');
  await panel.longerThan(panel.replies.last(), 100);
  await stop(walk);
  assert.equal(await panel.calls('run_command').count(), 0);
}

async function whilePanelAsks(walk: Journey): Promise<void> {
  const { panel } = walk;
  await panel.ask('Change it.');
  await panel.button('Allow Once').waitFor();
  await stop(walk);
  await panel.calls('edit_file').getByText('Stopped', { exact: true }).waitFor();
  assert.equal(await panel.button('Allow Once').count(), 0);
}

/** A modal dialog covers Stop but not its command, and only the person can close it. */
async function whileDialogAsks(walk: Journey): Promise<void> {
  const { workbench, panel, picture } = walk;
  await panel.ask('Make it.');
  await workbench.dialog.getByText(making.command).waitFor();
  await panel.button('Stop').dispatchEvent('click');
  await panel.settled();
  await picture('1-stopped-beside-its-dialog');
  await decide(walk, 'Allow Once');
  await panel.calls('run_command').getByText('Stopped', { exact: true }).waitFor();
}

/** Runs a command that doesn't end. Resolves with the id of its process. */
async function startEndless(walk: Journey): Promise<number> {
  const { panel } = walk;
  const call = panel.calls('run_command').last();
  await panel.ask('Run it.');
  await decide(walk, 'Allow Once');
  const printed = await call.getByText(/process \d+/).innerText();
  const id = Number(/process (\d+)/.exec(printed)?.[1]);
  assert.equal(isRunning(id), true);
  return id;
}

async function whileCommandRuns(walk: Journey): Promise<void> {
  const { panel, picture } = walk;
  const id = await startEndless(walk);
  await stop(walk);
  await until(() => !isRunning(id));
  const note = panel.calls('run_command').last().getByText('Left running: sleep 641');
  const job = Number(/\((\d+)\)/.exec(await note.innerText())?.[1]);
  assert.equal(isRunning(job), true);
  await picture('2-stopped-with-its-process');
  await panel.button('End Processes').click();
  await note.waitFor({ state: 'detached' });
  await until(() => !isRunning(job));
}

/** The language service never responds. */
async function whileReading(walk: Journey): Promise<void> {
  const { panel } = walk;
  await panel.ask('List it.');
  await panel.status.getByText('Running find_symbols').waitFor();
  await stop(walk);
  await panel.calls('find_symbols').getByText('Stopped', { exact: true }).waitFor();
}
