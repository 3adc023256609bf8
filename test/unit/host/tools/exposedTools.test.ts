import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { exposedToolName, exposedTools } from '../../../../src/core/tools/exposedTools.ts';
import type { Tool } from '../../../../src/core/tools/tool.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { systemClock } from '../../../../src/core/support/clock.ts';
import { defineTool, type ToolContext } from '../../../../src/core/tools/tool.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import { EnabledTools } from '../../../../src/host/tools/enabledTools.ts';
import { readToolsHere } from '../../../support/readToolsHere.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';
import { FakeMemento } from '../fakes.ts';

const { ExposedTool } = await withoutVsCode(
  () => import('../../../../src/host/tools/exposedCalls.ts'),
);

const words = z.string().check(z.minLength(1));
const manifest = z.object({
  contributes: z.object({
    languageModelTools: z.array(
      z.strictObject({
        name: words,
        displayName: words,
        userDescription: words,
        modelDescription: words,
        inputSchema: z.record(z.string(), z.unknown()),
        toolReferenceName: words,
        canBeReferencedInPrompt: z.literal(true),
        icon: words,
        tags: z.array(words),
        when: z.literal('isWorkspaceTrusted'),
      }),
    ),
  }),
});

function readProject(file: string): string {
  return readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
}

function contributedTools() {
  return manifest.parse(JSON.parse(readProject('package.json'))).contributes.languageModelTools;
}

describe('the tools for other chats', () => {
  let tools: readonly Tool[];
  before(async () => {
    tools = await readToolsHere();
  });

  it('only read', () => {
    assert.deepEqual(
      tools.map(({ name }) => name),
      exposedTools,
    );
    assert.deepEqual(new Set(tools.map(({ category }) => category)), new Set(['read']));
  });

  it('are in package.json with the descriptions and schemas of Aside’s requests', () => {
    const contributed = contributedTools().map(({ name, modelDescription, inputSchema }) => {
      return { name, modelDescription, inputSchema };
    });
    const expected = tools.map(({ definition: { function: sent } }) => ({
      name: exposedToolName(sent.name),
      modelDescription: sent.description,
      inputSchema: sent.parameters,
    }));
    assert.deepEqual(contributed, expected);
  });
});

describe('a call of another chat', () => {
  const contexts: ToolContext[] = [];
  const lines: string[] = [];
  const tool = defineTool({
    name: 'read_file',
    category: 'read',
    icon: 'file',
    label: 'Read File',
    summary: { many: '{0}' },
    description: 'Reads.',
    schema: z.strictObject({ path: z.string() }),
    title: ({ path }) => `Read ${path}`,
    run({ path }, context) {
      contexts.push(context);
      if (path === 'denied') throw new ToolError('No.', 'denied');
      if (path === 'broken') throw new Error('EIO');
      return Promise.resolve('text');
    },
  });
  const toolbox = new Toolbox([tool], {
    clock: systemClock,
    redactor: createRedactor(),
    onError: () => undefined,
  });
  const enabledTools = new EnabledTools(new FakeMemento());
  let isEnabled = true;
  const exposed = new ExposedTool(
    'read_file',
    toolbox,
    enabledTools,
    () => isEnabled,
    (line) => lines.push(line),
  );
  const call = (input: unknown, signal = new AbortController().signal): Promise<string> =>
    exposed.call(input, signal);
  const setEnabled = (names: readonly string[]): Promise<void> =>
    enabledTools.setOwnEnabled(['read_file'], names);

  beforeEach(async () => {
    contexts.length = lines.length = 0;
    isEnabled = true;
    await setEnabled(['read_file']);
  });

  it('belongs to no conversation, so that no approval applies to it', async () => {
    assert.equal(await call({ path: 'a.ts' }), 'text');
    assert.equal(contexts[0]?.conversation, undefined);
  });

  it('asks only in dialogs', async () => {
    await call({ path: 'a.ts' });
    const [context] = contexts;
    assert.ok(context);
    const answer = (): Promise<string> => Promise.resolve('asked');
    const request = { forChat: false, files: [] };
    assert.equal(await context.requestApproval({ ...request, by: 'dialog' }, answer), 'asked');
    await assert.rejects(
      context.requestApproval({ ...request, by: 'panel' }, answer),
      /only in Aside's own chat/,
    );
  });

  it('runs no tool that is turned off', async () => {
    await setEnabled([]);
    await assert.rejects(call({ path: 'a.ts' }), /turned off this tool/);
    await setEnabled(['read_file']);
    isEnabled = false;
    await assert.rejects(call({ path: 'a.ts' }), /turned off Aside's tools/);
    assert.deepEqual(contexts, []);
  });

  it("is refused with a line in the log if its input isn't JSON", async () => {
    const cyclic: unknown[] = [];
    cyclic.push({ path: cyclic });
    const broken = {
      get path(): string {
        throw new Error('Mine');
      },
    };
    const inputs = [
      cyclic,
      broken,
      { path: 1n },
      () => 'a.ts',
      Symbol('a.ts'),
      { toJSON: () => undefined },
    ];
    for (const input of inputs) await assert.rejects(call(input), /not a JSON object/);
    assert.deepEqual(contexts, []);
    assert.deepEqual(
      lines,
      inputs.map(() => 'Another chat called aside_read_file (read_file): failed'),
    );
  });

  it('writes one line to the log, however it ends', async () => {
    await call({ path: 'a.ts' });
    await assert.rejects(call({ path: 'denied' }), /No\./);
    await assert.rejects(call({ path: 'broken' }));
    await assert.rejects(call({}));
    await assert.rejects(call({ path: 'late' }, AbortSignal.abort()));
    await setEnabled([]);
    await assert.rejects(call({ path: 'off\nAnother chat called nothing' }));
    assert.deepEqual(lines, [
      'Another chat called aside_read_file (Read a.ts): done',
      'Another chat called aside_read_file (Read denied): denied',
      'Another chat called aside_read_file (Read broken): failed',
      'Another chat called aside_read_file (read_file): failed',
      'Another chat called aside_read_file (Read late): stopped',
      'Another chat called aside_read_file (Read off Another chat called nothing): denied',
    ]);
  });
});
