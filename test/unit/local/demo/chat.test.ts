import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { planCommand } from '../../../../src/core/code/codeCommands.ts';
import { onlySample } from '../../../../src/local/demo/chat.ts';
import { sampleFiles } from '../../../../src/local/demo/sample.ts';
import { createService } from '../../../../src/local/service.ts';
import { starters, type Starter } from '../../../../src/protocol/rpc.ts';
import { complete, user, type Outcome } from '../serviceRequests.ts';

const names = ['get_editor_state', 'read_file', 'edit_file', 'create_file', 'run_command'];
const otherNames = ['list_files', 'get_changes', 'search_text'];
const tools = [...names, ...otherNames].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { path: { type: 'string' } } } },
}));

type Result = readonly [name: string, parameters: object, result: string];

/** The reply after a message, and after the calls of its turn. */
async function reply(
  message: string,
  results: readonly Result[] = [],
  more: object = { tools },
  service = createService({ pace: 0 }),
): Promise<Outcome> {
  const rounds = results.map(([name, parameters, content], at) => {
    const call = { name, arguments: JSON.stringify(parameters) };
    const calls = [{ id: `c${at}`, type: 'function', function: call }];
    return [
      { role: 'assistant', content: '', tool_calls: calls },
      { role: 'tool', tool_call_id: `c${at}`, content },
    ];
  });
  return complete(service, { messages: [user(message), ...rounds.flat()], ...more });
}

function callsOf({ toolCalls }: Outcome): readonly unknown[] {
  return toolCalls.map((call): unknown => [call.name, JSON.parse(call.arguments)]);
}

/** A call of `read_file`, with the result that the tool has for a whole file. */
function read(path: string, text = sampleFiles[path] ?? ''): Result {
  const lines = text.split('\n');
  const numbered = lines.map((line, at) => `${String(at + 1).padStart(2)}\t${line}`).join('\n');
  const head = `${path}, lines 1-${lines.length} of ${lines.length}`;
  return ['read_file', { path }, `${head}\n${numbered}`];
}

const editArguments = z.object({
  edits: z.array(z.object({ search: z.string(), replace: z.string() })),
});

/** The text after a proposed edit, each of whose search texts must occur once. */
function afterEdit({ toolCalls }: Outcome, text: string): string {
  assert.equal(toolCalls[0]?.name, 'edit_file');
  const { edits } = editArguments.parse(JSON.parse(toolCalls[0].arguments));
  return edits.reduce((now, { search, replace }) => {
    assert.equal(now.split(search).length, 2, search);
    return now.replace(search, () => replace);
  }, text);
}

const temperature = 'src/temperature.ts';

describe('an improvement of the open file in the demo', () => {
  const message = 'Improve the open file.';
  const state = `Active: ${temperature}, not saved\nCursor: line 1`;
  const looked = ['get_editor_state', {}, state] as const;

  it('looks, reads, proposes one change after the other, and says what came of it', async () => {
    assert.deepEqual(callsOf(await reply(message)), [['get_editor_state', {}]]);
    const reads = callsOf(await reply(message, [looked]));
    assert.deepEqual(reads, [['read_file', { path: temperature }]]);
    let text = sampleFiles[temperature] ?? '';
    for (const expected of [/return undefined;/, /const \{ celsius \}/, /\/\*\* Describes/]) {
      text = afterEdit(await reply(message, [looked, read(temperature, text)]), text);
      assert.match(text, expected);
    }
    const last = await reply(message, [looked, read(temperature, text)]);
    assert.match(last.content, /no change for this file/);
    for (const [result, expected] of [
      ['Changed src/temperature.ts: +2 −1.', /\*\*Undo\*\*/],
      ['The person denied this.', /denied the edit/],
      ['The text occurs twice.', /> The text occurs twice/],
    ] as const) {
      const edit = ['edit_file', {}, result] as const;
      assert.match((await reply(message, [looked, read(temperature), edit])).content, expected);
    }
  });

  it('does not change other files, or files that it read in part', async () => {
    for (const result of [
      `${temperature}, lines 1-1 of 3\n1\tclass Station {\n(Cut: read on from line 2.)`,
      `${temperature}, lines 1-1 of 1\n1\t// other`,
      `${temperature} is empty.`,
    ]) {
      const partial = ['read_file', { path: temperature }, result] as const;
      const { content, toolCalls } = await reply(message, [looked, partial]);
      assert.deepEqual([content, toolCalls], [onlySample, []]);
    }
    const none = await reply(message, [['get_editor_state', {}, 'No text editor is active.']]);
    assert.match(none.content, /No file is open/);
    assert.deepEqual((await reply(message, [], {})).toolCalls, []);
  });
});

describe('the failing test of the sample', () => {
  const paths = ['server/test_report.py', 'server/report.py'];
  const reads = paths.map((path) => read(path));
  const change = ['edit_file', {}, 'Changed server/report.py: +3 −2.'] as const;
  const passed = ['run_command', {}, 'Exit code 0, after 1 s.\nRan 2 tests'] as const;
  const l10n = { t: (text: string) => text };

  for (const [what, message, ticks] of [
    ['a message', 'The test fails, fix it.', [0, 0, 0]],
    ['a plan that is started', planCommand.start(l10n), [1, 2, 3]],
  ] as const)
    it(`is repaired and run for ${what}`, async () => {
      const first = callsOf(await reply(message));
      assert.deepEqual(
        first,
        paths.map((path): unknown => ['read_file', { path }]),
      );
      const edit = await reply(message, reads);
      assert.match(afterEdit(edit, sampleFiles['server/report.py'] ?? ''), /width = max/);
      const run = await reply(message, [...reads, change]);
      const command = 'python3 server/test_report.py';
      assert.deepEqual(callsOf(run), [['run_command', { command }]]);
      const end = await reply(message, [...reads, change, passed]);
      assert.match(end.content, /The test passes/);
      const ticked = [edit, run, end].map(({ content }) => content.split('- [x]').length - 1);
      assert.deepEqual(ticked, ticks);
      const missing = ['run_command', {}, 'Exit code 127\npython3: not found'] as const;
      const failed = await reply(message, [...reads, change, missing]);
      assert.match(failed.content, /couldn’t see the test pass:\n\n> Exit code 127/);
    });

  it('is not assumed if other code is attached', async () => {
    const other = 'The test fails, fix it.\n\nsrc/sum.test.ts:\n```ts\ntest();\n```';
    const { content, toolCalls } = await reply(other);
    assert.deepEqual([content, toolCalls], [onlySample, []]);
  });

  it('is planned without a change', async () => {
    const { content, toolCalls } = await reply(`fix it\n\n${planCommand.instruction(l10n)}`);
    assert.equal(content.split('- [ ]').length, 4);
    assert.deepEqual(toolCalls, []);
  });
});

describe('the sample', () => {
  it('is created with tools, and only described without them', async () => {
    const message = 'Please create the sample';
    const files = Object.entries(sampleFiles).map(([path, content]) => ({ path, content }));
    const calls = callsOf(await reply(message));
    assert.deepEqual(
      calls,
      files.map((file) => ['create_file', file]),
    );
    const created = files.map((file) => ['create_file', file, `Created ${file.path}.`] as const);
    assert.match((await reply(message, created)).content, /The sample is there/);
    const denied = ['create_file', {}, 'The person denied this.'] as const;
    const refused = await reply(message, [...created.slice(1), denied]);
    assert.match(refused.content, /wasn’t created:\n\n> The person denied this/);
    assert.match((await reply(message, [], {})).content, /open an empty folder that you trust/);
  });
});

describe('a starter in the demo', () => {
  it('is known by its id, whatever the language of its message', async () => {
    const message = `${temperature} を読んで、その内容を説明してください。`;
    const start = async (starter: Starter): Promise<unknown> => {
      const starterOf = (text: string): string | undefined =>
        text === message ? starter : undefined;
      const outcome = await reply(message, [], { tools }, createService({ pace: 0, starterOf }));
      return callsOf(outcome)[0] ?? outcome.content;
    };
    const [help, ...said] = await Promise.all([start('help'), ...starters.map(start)]);
    assert.deepEqual(said, [
      ['read_file', { path: temperature }],
      ['get_editor_state', {}],
      ['get_changes', {}],
      ['list_files', {}],
      help,
    ]);
    assert.match(String(help), /^I’m \*\*Aside\*\*/);
  });

  it('explains files that were read, and the project', async () => {
    const explained = await reply(`Call read_file for ${temperature}, and explain it.`, [
      read(temperature),
    ]);
    assert.match(explained.content, /\\frac\{9\}\{5\}[^]*\\sum/);
    const list = ['list_files', {}, 'src/\n  temperature.ts\nserver/\n  report.py'] as const;
    const project = await reply('Call list_files, and explain them.', [list]);
    assert.match(project.content, /my sample, a small weather station/);
  });
});
