import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { exposedToolName, exposedTools } from '../../src/core/tools/exposedTools.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { EnabledTools } from '../../src/host/tools/enabledTools.ts';
import { listExternalTools, enabledExternalTools } from '../../src/host/tools/externalTools.ts';
import { GrantingGate, toolContext, resultText } from '../support/grantingGate.ts';
import { until } from '../support/until.ts';

/** Id of the extension in `test/vscode/foreignTool`, which `run.ts` installs. */
const sample = 'aside-test.foreign-tool';
const calls = z.object({ inputs: z.array(z.unknown()), cancelled: z.number() });

async function sampleCalls(): Promise<z.infer<typeof calls>> {
  return calls.parse(await vscode.commands.executeCommand('foreignTool.calls'));
}

/** A gate without files, which external tools don't name. */
function createGate(): GrantingGate {
  return new GrantingGate(() => assert.fail('A tool of others asked for a file.'));
}

interface Rig {
  readonly gate: GrantingGate;
  readonly ticked: EnabledTools;
  readonly noted: () => number;
  readonly echo: Tool;
}

/** Enables the sample's tool. */
async function enableEcho(): Promise<Rig> {
  const stored = new Map<string, unknown>();
  const ticked = new EnabledTools({
    get: (key) => stored.get(key),
    update: (key, value) => Promise.resolve(void stored.set(key, value)),
  });
  const listed = await listExternalTools(ticked);
  const sample = listed.find(({ tool }) => tool.name === 'sample_echo');
  assert.ok(sample, 'The sample is not installed.');
  assert.equal(sample.isEnabled, false);
  await ticked.setExternalEnabled([sample.identity], [sample.identity]);
  const gate = createGate();
  let noted = 0;
  const tools = await enabledExternalTools(gate, ticked, ['read_file'], () => (noted += 1));
  const [echo] = tools;
  assert.ok(echo);
  assert.equal(tools.length, 1);
  return { gate, ticked, noted: () => noted, echo };
}

async function call(tool: Tool, text: string, signal?: AbortSignal): Promise<string> {
  return resultText(await tool.prepare({ text }).run(toolContext('t', signal)));
}

describe('tools of other extensions', () => {
  before(async () => {
    await vscode.extensions.getExtension(sample)?.activate();
  });

  it('lists tools that can be enabled: neither Aside’s own, nor equivalents', async () => {
    const ticked = new EnabledTools({ get: () => undefined, update: () => Promise.resolve() });
    const listed = await listExternalTools(ticked);
    const names = listed.map(({ tool }) => tool.name);
    assert.ok(names.includes('sample_echo'), names.join());
    assert.ok(vscode.lm.tools.some(({ name }) => name === 'sample_createFile'));
    assert.equal(names.includes('sample_createFile'), false);
    assert.deepEqual(
      names.filter((name) => name.startsWith('aside_')),
      [],
    );
    const enabled = await enabledExternalTools(createGate(), ticked, [], () => undefined);
    assert.deepEqual(enabled, []);
  });

  it('calls an enabled tool with the approved JSON', async () => {
    const { gate, echo, noted } = await enableEcho();
    assert.equal(echo.category, 'external');
    assert.equal(echo.definition.function.description, 'Says the text again.');
    assert.equal(await call(echo, 'hello'), 'You said: hello');
    const [plannedCall] = gate.calls;
    assert.equal(plannedCall?.tool, 'sample_echo');
    assert.match(plannedCall.identity, /^sample_echo#[0-9a-f]{64}$/);
    const { inputs } = await sampleCalls();
    assert.deepEqual(inputs.at(-1), JSON.parse(plannedCall.input));
    assert.equal(noted(), 1);
  });

  it('does not call a denied tool, even if it needs no approval itself', async () => {
    const { gate, echo, noted } = await enableEcho();
    const before = (await sampleCalls()).inputs.length;
    gate.denies = true;
    await assert.rejects(call(echo, 'denied'), { name: 'ToolError', outcome: 'denied' });
    assert.equal((await sampleCalls()).inputs.length, before);
    assert.equal(noted(), 0);
  });

  it('does not call a tool that was disabled during the approval', async () => {
    const { gate, ticked, echo } = await enableEcho();
    const before = (await sampleCalls()).inputs.length;
    gate.meanwhile = async () => {
      const identities = (await listExternalTools(ticked)).map(({ identity }) => identity);
      await ticked.setExternalEnabled(identities, []);
    };
    await assert.rejects(call(echo, 'late'), { name: 'ToolError', outcome: 'denied' });
    assert.equal((await sampleCalls()).inputs.length, before);
  });

  it("reports the error of a failed tool, and omits parts that aren't text", async () => {
    const { echo } = await enableEcho();
    await assert.rejects(call(echo, 'fail'), { name: 'ToolError', message: /The sample fails\./ });
    assert.match(await call(echo, 'mixed'), /^You said: mixed\n\(Not text, left out: 1\)/);
  });

  it('cancels a running call on Stop', async () => {
    const { echo } = await enableEcho();
    const stop = new AbortController();
    const before = await sampleCalls();
    const called = call(echo, 'hang', stop.signal);
    called.catch(() => undefined);
    while ((await sampleCalls()).inputs.length === before.inputs.length) await setImmediate();
    stop.abort();
    while ((await sampleCalls()).cancelled === before.cancelled) await setImmediate();
  });
});

describe('Aside’s tools for other chats', () => {
  it('are known to VS Code', async () => {
    await vscode.extensions.getExtension('aside-chat.aside')?.activate();
    const known = (): readonly string[] => vscode.lm.tools.map(({ name }) => name);
    await until(() => exposedTools.every((name) => known().includes(exposedToolName(name))));
  });

  it('read through the gate: inside the workspace, and no secret without approval', async () => {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(root);
    const secret = vscode.Uri.joinPath(root.uri, '.env');
    const plain = vscode.Uri.joinPath(root.uri, 'lent.txt');
    await vscode.workspace.fs.writeFile(secret, new TextEncoder().encode('TOKEN=hidden'));
    await vscode.workspace.fs.writeFile(plain, new TextEncoder().encode('shown'));
    try {
      assert.match(await invoke('read_file', { path: 'lent.txt' }), /shown/);
      // VS Code refuses dialogs during tests, which counts as a denial.
      await assert.rejects(invoke('read_file', { path: '.env' }));
      await assert.rejects(invoke('read_file', { path: 'no-such-file' }), /no-such-file/);
    } finally {
      await vscode.workspace.fs.delete(secret);
      await vscode.workspace.fs.delete(plain);
    }
  });
});

async function invoke(name: (typeof exposedTools)[number], input: object): Promise<string> {
  const options = { input, toolInvocationToken: undefined };
  const { content } = await vscode.lm.invokeTool(exposedToolName(name), options);
  return content
    .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
    .join('');
}
