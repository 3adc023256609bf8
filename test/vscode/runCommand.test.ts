import assert from 'node:assert/strict';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { RunningProcess } from '../../src/core/conversation/conversation.ts';
import type { ToolContext } from '../../src/core/tools/tool.ts';
import { processesHere } from '../../src/host/node/processTree.ts';
import { CommandTerminals } from '../../src/host/tools/commandTerminals.ts';
import { runCommandTool } from '../../src/host/tools/runCommand.ts';
import { toLocation } from '../../src/host/platform/location.ts';
import { demoKey } from '../../src/local/service.ts';
import { GrantingGate, toolContext, resultText } from '../support/grantingGate.ts';
import { isRunning } from '../support/isRunning.ts';

async function rootFolder(): Promise<string> {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return realpath(root.uri.fsPath);
}

/** Starts a second instance of itself. Both ignore signals where possible, and print their process ids. */
const stubborn = `
trap "" INT TERM HUP
echo "id $$"
[ "$1" = beside ] || sh "$0" beside &
while :; do sleep 1; done
`;

function ourTerminals(): readonly vscode.Terminal[] {
  return vscode.window.terminals.filter(
    ({ name, exitStatus }) => name === 'Aside' && exitStatus === undefined,
  );
}

/** Polls, since other processes don't report their state. */
async function poll(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20);
}

describe('run_command', function () {
  // Starting a shell with its output in the workbench is slow.
  this.timeout(120_000);

  let gate: GrantingGate;
  let terminals: CommandTerminals;
  let left: readonly RunningProcess[];

  beforeEach(async () => {
    left = [];
    const root = await rootFolder();
    gate = new GrantingGate((folder) => toLocation(vscode.Uri.file(join(root, folder))));
    terminals = new CommandTerminals(processesHere);
  });

  afterEach(async () => {
    terminals.dispose();
    for (const terminal of ourTerminals()) terminal.dispose();
    await poll(() => ourTerminals().length === 0);
  });

  async function run(parameters: object, context: Partial<ToolContext> = {}): Promise<string> {
    const tool = runCommandTool(gate, terminals, (_, processes) => (left = processes));
    return resultText(await tool.prepare(parameters).run({ ...toolContext(), ...context }));
  }

  it('reports exit code and output, and shows output as it arrives', async () => {
    const printed: string[] = [];
    const command = "sh -c 'echo out; echo err >&2; exit 3'";
    const result = await run({ command }, { print: (text) => printed.push(text) });
    assert.match(result, /^Exit code 3, after \d+\.\d s\.\nout\nerr\n$/);
    assert.equal(printed.join(''), 'out\nerr\n');
  });

  it('asks with the exact command, folder and shell', async () => {
    await mkdir(join(await rootFolder(), 'commands'), { recursive: true });
    const result = await run({ command: '\npwd\n', folder: 'commands' });
    assert.deepEqual(gate.commands, [
      { command: 'pwd', folder: 'commands', shell: vscode.env.shell },
    ]);
    assert.ok(result.endsWith(`\n${join(await rootFolder(), 'commands')}\n`), result);
  });

  it("runs nothing if denied, and doesn't ask about invalid commands", async () => {
    gate.denies = true;
    await assert.rejects(run({ command: 'echo' }), { name: 'ToolError', outcome: 'denied' });
    const refused = (async () => run({ command: 'echo \x03' }))();
    await assert.rejects(refused, { name: 'ToolError', outcome: 'failed' });
    assert.equal(gate.commands.length, 1);
    assert.equal(ourTerminals().length, 0);
  });

  it('passes on every character', async () => {
    const result = await run({ command: `echo "a!b !! \\$x 漢字" '!! $x' ^a^b` });
    assert.ok(result.endsWith('\na!b !! $x 漢字 !! $x ^a^b\n'), result);
  });

  it('runs a single line, and nothing of several', async () => {
    const result = await run({ command: 'for i in 1 2; do echo "line $i"; done && echo last' });
    assert.match(result, /^Exit code 0/);
    assert.match(result, /line 1\nline 2\nlast\n$/);
    await assert.rejects(run({ command: 'echo one\necho two' }), /one line/);
  });

  it('reuses one terminal, in its initial folder', async () => {
    await run({ command: 'echo one' });
    await run({ command: 'cd /' });
    const result = await run({ command: 'pwd' });
    assert.ok(result.endsWith(`\n${await rootFolder()}\n`), result);
    await poll(() => ourTerminals().length === 1);
  });

  it('includes no key in the environment', async () => {
    const result = await run({ command: 'env' });
    assert.match(result, /\nPATH=/);
    assert.equal(result.includes(demoKey), false);
  });

  it('leaves a command in the background running', async () => {
    const result = await run({ command: 'echo up; sleep 600', background: true });
    assert.match(result, /^It is still running in the terminal “Aside”.*\nup\n$/);
    await run({ command: 'echo beside' });
    assert.equal(ourTerminals().length, 2);
  });

  it('ends a command at its time limit, with its output', async () => {
    await assert.rejects(run({ command: 'echo so far; sleep 600', seconds: 2 }), {
      name: 'ToolError',
      message: /^Stopped by its time limit, after \d\.\d s\.\nso far\n/,
    });
  });

  it('ends all processes of an unresponsive command on Stop', async () => {
    const stop = new AbortController();
    const ids: number[] = [];
    const print = (text: string): void => {
      ids.push(...[...text.matchAll(/id (\d+)/g)].map(([, id]) => Number(id)));
    };
    await writeFile(join(await rootFolder(), 'stubborn.sh'), stubborn);
    const command = 'sh stubborn.sh';
    const running = run({ command }, { signal: stop.signal, print });
    running.catch(() => undefined);
    await poll(() => ids.length === 2);
    stop.abort();
    await assert.rejects(running, { name: 'AbortError' });
    await poll(() => !ids.some(isRunning));
    await poll(() => ourTerminals().length === 0);
  });

  it('names what a command left running, also after Stop, and ends it', async () => {
    const result = await run({ command: 'sleep 611 & echo up' });
    const [, id] =
      /^Exit code 0, [^\n]* It left running: sleep 611 \(process (\d+)\)\.\n/.exec(result) ?? [];
    assert.ok(isRunning(Number(id)), result);

    const stop = new AbortController();
    let printed = '';
    const print = (text: string): void => void (printed += text);
    const running = run(
      { command: 'sleep 612 & echo up; sleep 613' },
      { signal: stop.signal, print },
    );
    running.catch(() => undefined);
    await poll(() => printed.includes('up'));
    stop.abort();
    await assert.rejects(running, { name: 'AbortError' });
    assert.deepEqual(
      left.map(({ name }) => name),
      ['sleep 612'],
    );
    const [job] = left;
    assert.ok(job !== undefined && isRunning(job.id));
    await processesHere.end([{ ...job, started: 'another time' }]);
    assert.ok(isRunning(job.id), 'Another process with the same id was ended.');
    await processesHere.end(left);
    await poll(() => !isRunning(job.id));
    assert.ok(isRunning(Number(id)), 'A process of an earlier command was ended.');
  });

  it('ends commands with the window, in the background too, and tells no turn', async () => {
    let printed = '';
    const print = (text: string): void => void (printed += text);
    const ids = (): number[] => [...printed.matchAll(/id (\d+)/g)].map(([, id]) => Number(id));
    await writeFile(join(await rootFolder(), 'stubborn.sh'), stubborn);
    await run({ command: 'sh stubborn.sh', background: true }, { print });
    let hasEnded = false;
    const running = run({ command: 'sh stubborn.sh' }, { print });
    const noticed = (): void => void (hasEnded = true);
    running.then(noticed, noticed);
    await poll(() => ids().length === 4);
    await terminals.end();
    await poll(() => !ids().some(isRunning));
    await poll(() => ourTerminals().length === 0);
    assert.equal(hasEnded, false);
  });

  it('runs nothing if stopped while the shell starts', async () => {
    const stop = new AbortController();
    const running = run({ command: 'echo ran' }, { signal: stop.signal });
    await poll(() => ourTerminals().length === 1);
    stop.abort();
    await assert.rejects(running, { name: 'AbortError' });
    await poll(() => ourTerminals().length === 0);
  });

  it('detects that its terminal was closed', async () => {
    const printed: string[] = [];
    const running = run({ command: 'echo up; sleep 600' }, { print: (text) => printed.push(text) });
    running.catch(() => undefined);
    await poll(() => printed.length > 0);
    for (const terminal of ourTerminals()) terminal.dispose();
    await assert.rejects(running, { name: 'ToolError', message: /closed/ });
  });
});
