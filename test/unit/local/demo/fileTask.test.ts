import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { planCommand } from '../../../../src/core/code/codeCommands.ts';
import { createService } from '../../../../src/local/service.ts';
import { complete, user, type Outcome } from '../serviceRequests.ts';
import { edited, english, report, reportTests, taskOf, temperature } from './demoEdits.ts';

const { files: sampleFiles } = english.sample;
const { tasks: fileTaskTexts } = english.texts;
const { disclaimer: demoDisclaimer, otherCode: otherCodeText } = english.texts.general;

const tools = ['get_editor_state', 'read_file', 'edit_file', 'create_file', 'run_command'].map(
  (name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: {} } },
  }),
);

/** Messages of a turn: the message of the person, and its calls with their results. */
function turn(message: string, results: readonly (readonly [string, object, string])[]): object[] {
  const rounds = results.map(([name, parameters, content], at) => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        {
          id: `c${at}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(parameters) },
        },
      ],
    },
    { role: 'tool', tool_call_id: `c${at}`, content },
  ]);
  return [user(message), ...rounds.flat()];
}

async function reply(messages: readonly object[], more: object = { tools }): Promise<Outcome> {
  return complete(createService({ pace: 0 }), { messages, ...more });
}

function callsOf({ toolCalls }: Outcome): readonly unknown[] {
  return toolCalls.map((call): unknown => [call.name, JSON.parse(call.arguments)]);
}

const suggestion = 'Find one small improvement for the open file and make it.';
const state = 'Active: src/temperature.ts, not saved\nCursor: line 1\n\nOpen files:\nsrc/a.ts';

/** Result of `read_file`. */
function readResult(path: string, text: string): string {
  const lines = text.split('\n');
  const numbered = lines.map((line, at) => `${String(at + 1).padStart(2)}\t${line}`).join('\n');
  return `${path}, lines 1-${lines.length} of ${lines.length}\n${numbered}`;
}

const looked = ['get_editor_state', {}, state] as const;
const read = [
  'read_file',
  { path: 'src/temperature.ts' },
  readResult('src/temperature.ts', temperature),
] as const;

const editArguments = z.object({
  path: z.string(),
  edits: z.array(z.object({ search: z.string(), replace: z.string() })),
});

/** The text after the proposed edit. Asserts that each search text occurs once. */
function afterEdit({ toolCalls }: Outcome, text: string): string {
  const [edit] = toolCalls;
  assert.equal(edit?.name, 'edit_file');
  const { edits } = editArguments.parse(JSON.parse(edit.arguments));
  return edits.reduce((now, { search, replace }) => {
    assert.equal(now.split(search).length, 2, `${JSON.stringify(search)} in ${now}`);
    return now.replace(search, () => replace);
  }, text);
}

describe('a task on a file in the demo', () => {
  it('inspects, reads, proposes a valid edit, and reports the outcome', async () => {
    assert.deepEqual(callsOf(await reply(turn(suggestion, []))), [['get_editor_state', {}]]);
    const reads = callsOf(await reply(turn(suggestion, [looked])));
    assert.deepEqual(reads, [['read_file', { path: 'src/temperature.ts' }]]);
    const proposed = await reply(turn(suggestion, [looked, read]));
    const code = { path: 'src/temperature.ts', language: 'typescript', text: temperature };
    assert.equal(afterEdit(proposed, temperature), edited({ ...code, task: taskOf('fix') }));
    const endings = [
      ['Changed src/temperature.ts: +2 −1, lines 24–25.', /\*\*Undo\*\*/],
      ['The person denied this. Do not try it another way.', /denied the edit/],
      ['The text occurs twice.', /wasn’t made:\n\n> The text occurs twice/],
    ] as const;
    for (const [result, expected] of endings) {
      const ended = await reply(turn(suggestion, [looked, read, ['edit_file', {}, result]]));
      assert.deepEqual(ended.toolCalls, []);
      assert.match(ended.content, expected);
    }
  });

  it('continues with the next change after the first', async () => {
    let text: string = temperature;
    for (const expected of [/undefined;/, /const \{ celsius \}/, /\/\*\* Describes/]) {
      const result = readResult('src/temperature.ts', text);
      const again = [looked, ['read_file', { path: 'src/temperature.ts' }, result]] as const;
      const changed = afterEdit(await reply(turn(suggestion, again)), text);
      assert.match(changed, expected);
      text = changed;
    }
    const last = ['read_file', { path: 'src/temperature.ts' }, readResult('x', text)] as const;
    assert.equal(
      (await reply(turn(suggestion, [looked, last]))).content,
      fileTaskTexts.nothingToDo,
    );
  });

  it('starts with a file that the message names', async () => {
    const calls = callsOf(await reply([user('Please document src/b.py.')]));
    assert.deepEqual(calls, [['read_file', { path: 'src/b.py' }]]);
  });

  it('uses the first open file if none is active, and says if none is open', async () => {
    const open = 'No text editor is active.\n\nOpen files:\nweb/x.js, not saved\nREADME.md';
    const calls = callsOf(await reply(turn(suggestion, [['get_editor_state', {}, open]])));
    assert.deepEqual(calls, [['read_file', { path: 'web/x.js' }]]);
    for (const none of ['No text editor is active.', 'Active: Untitled-1 (no file yet)']) {
      const { content, toolCalls } = await reply(
        turn(suggestion, [['get_editor_state', {}, none]]),
      );
      assert.deepEqual(toolCalls, []);
      assert.match(content, /No file is open/);
    }
  });

  it("does not change files that it does not know or can't read completely", async () => {
    const results = [
      'src/temperature.ts is empty.',
      'src/temperature.ts is binary (12 bytes): it has no text to read.',
      'src/temperature.ts, lines 1-1 of 3\n1\tclass Station {\n(Cut: read on from line 2.)',
      'src/temperature.ts, lines 1-1 of 1\n1\t// nothing to do',
    ];
    for (const result of results) {
      const other = turn(suggestion, [
        looked,
        ['read_file', { path: 'src/temperature.ts' }, result],
      ]);
      const { toolCalls, content } = await reply(other);
      assert.deepEqual(toolCalls, [], result);
      assert.equal(content, otherCodeText);
    }
  });

  it('is not started without its tools, or if the message requests a call', async () => {
    assert.deepEqual((await reply([user(suggestion)], {})).toolCalls, []);
    const spelled = 'Improve the open file: call edit_file with {"path":"a","edits":[]}';
    assert.deepEqual(callsOf(await reply([user(spelled)])), [
      ['edit_file', { path: 'a', edits: [] }],
    ]);
  });
});

describe('the failing test of the sample', () => {
  const message = 'The test fails, fix it.';
  const reads = [
    [
      'read_file',
      { path: 'server/test_report.py' },
      readResult('server/test_report.py', reportTests),
    ],
    ['read_file', { path: 'server/report.py' }, readResult('server/report.py', report)],
  ] as const;
  const change = ['edit_file', {}, 'Changed server/report.py: +3 −2, lines 18–20.'] as const;

  it('is read, its code is fixed, and it is run', async () => {
    const paths = reads.map(([name, args]): unknown => [name, args]);
    assert.deepEqual(callsOf(await reply(turn(message, []))), paths);
    const code = { path: 'server/report.py', language: 'python', text: report };
    const repaired = afterEdit(await reply(turn(message, reads)), report);
    assert.equal(repaired, edited({ ...code, task: taskOf('fix') }));
    const run = callsOf(await reply(turn(message, [...reads, change])));
    assert.deepEqual(run, [['run_command', { command: 'python3 server/test_report.py' }]]);
    const command = ['run_command', {}, 'Exit code 0, after 1 s.\n..\nRan 2 tests'] as const;
    const passed = await reply(turn(message, [...reads, change, command]));
    assert.equal(passed.content, fileTaskTexts.passes);
    const missing = ['run_command', {}, 'Exit code 127, after 0 s.\npython3: not found'] as const;
    const failed = await reply(turn(message, [...reads, change, missing]));
    assert.match(failed.content, /couldn’t see the test pass:\n\n> Exit code 127/);
  });

  it('is not run without commands, or after the edit was denied', async () => {
    const some = { tools: tools.filter((tool) => tool.function.name !== 'run_command') };
    const { content, toolCalls } = await reply(turn(message, [...reads, change]), some);
    assert.deepEqual([content, toolCalls], [fileTaskTexts.done, []]);
    const denial = ['edit_file', {}, 'The person denied this.'] as const;
    const denied = await reply(turn(message, [...reads, denial]));
    assert.equal(denied.content, fileTaskTexts.denied);
  });

  it('is not assumed if other code is attached', async () => {
    const other = `${message}\n\nsrc/sum.test.ts:\n\`\`\`ts\ntest('adds', () => {});\n\`\`\``;
    const { content, toolCalls } = await reply([user(other)]);
    assert.deepEqual(toolCalls, []);
    assert.ok(content.startsWith(otherCodeText), content);
    const named = `src/sum.test.ts, lines 2-4: unchanged since it was attached above.\n\n${message}`;
    assert.deepEqual(callsOf(await reply([user(named)])), [
      ['read_file', { path: 'src/sum.test.ts' }],
    ]);
    const request = `${message}\n\nserver/report.py:\n\`\`\`python\n${report}\n\`\`\``;
    assert.equal(callsOf(await reply([user(request)])).length, 2);
  });

  it('gets an explanation in another folder', async () => {
    const missing = ['read_file', { path: 'server/report.py' }, 'There is no such file.'] as const;
    assert.equal((await reply(turn(message, [missing]))).content, otherCodeText);
  });
});

describe('the plan of the demo', () => {
  const l10n = { t: (message: string) => message };
  const start = planCommand.start(l10n);
  const paths = ['src/temperature.ts', 'server/report.py'] as const;
  const reads = [
    ['read_file', { path: paths[0] }, readResult(paths[0], temperature)],
    ['read_file', { path: paths[1] }, readResult(paths[1], report)],
  ] as const;
  const ticks = (content: string): string => (content.match(/- \[[ x]\]/g) ?? []).join('');

  it('is a task list, with any tools', async () => {
    const message = `fix the failing test\n\n${planCommand.instruction(l10n)}`;
    const { content, toolCalls } = await reply([user(message)]);
    assert.deepEqual([content, toolCalls], [english.texts.topics.plan, []]);
  });

  it('is carried out with an edit for each step, and ticks the steps', async () => {
    assert.deepEqual(
      callsOf(await reply(turn(start, []))),
      paths.map((path): unknown => ['read_file', { path }]),
    );
    const done: (readonly [string, object, string])[] = [...reads];
    let text: string = report;
    for (const expected of ['- [ ]- [ ]- [ ]', '- [x]- [ ]- [ ]', '- [x]- [x]- [ ]']) {
      const step = await reply(turn(start, done));
      assert.equal(ticks(step.content), expected);
      if (done.length > 2) text = afterEdit(step, text);
      done.push(['edit_file', {}, 'Changed it: +1 −1.']);
    }
    assert.match(text, /"""Return a heading[^]*width = max/);
    const end = await reply(turn(start, done));
    assert.deepEqual([ticks(end.content), end.toolCalls], ['- [x]- [x]- [x]', []]);
    assert.ok(end.content.endsWith(fileTaskTexts.done));
  });

  it('does not tick a denied step, and says that it knows no other folder', async () => {
    const denial = ['edit_file', {}, 'The person denied this.'] as const;
    const denied = await reply(turn(start, [...reads, denial, denial, denial]));
    assert.equal(ticks(denied.content), '- [ ]- [ ]- [ ]');
    assert.ok(denied.content.endsWith(fileTaskTexts.denied));
    const missing = ['read_file', { path: paths[0] }, 'There is no such file.'] as const;
    assert.equal((await reply(turn(start, [missing, missing]))).content, otherCodeText);
  });
});

describe('the sample', () => {
  const message = 'Please create the sample';

  it('is created with tools, and only described without them', async () => {
    const files = Object.entries(sampleFiles).map(([path, content]) => ({ path, content }));
    const calls = callsOf(await reply([user(message)]));
    assert.deepEqual(
      calls,
      files.map((file) => ['create_file', file]),
    );
    const results = files.map(
      (file) => ['create_file', file, `Created ${file.path}: 9 lines.`] as const,
    );
    assert.equal((await reply(turn(message, results))).content, fileTaskTexts.created);
    const denied = ['create_file', {}, 'The person denied this.'] as const;
    const { content } = await reply(turn(message, [...results.slice(1), denied]));
    assert.match(content, /wasn’t created:\n\n> The person denied this/);
    assert.match((await reply([user(message)], {})).content, /open an empty folder that you trust/);
  });

  it('is explained from the results of tools', async () => {
    const file = turn('Read src/temperature.ts, and explain what it does.', [read]);
    assert.match((await reply(file)).content, /\\frac\{9\}\{5\}[^]*\\sum/);
    const list = 'src/\n  temperature.ts\nserver/\n  report.py';
    const listed = turn('List the files of this project, and explain what it does.', [
      ['list_files', {}, list],
    ]);
    assert.match((await reply(listed)).content, /my sample, a small weather station/);
    const other = turn('Read a.ts, and explain it.', [['read_file', { path: 'a.ts' }, 'a.ts']]);
    assert.match((await reply(other)).content, /`read_file` returned 1 line/);
  });
});

describe('the demo', () => {
  it('says once in a chat that its replies are scripted', async () => {
    const first = await reply([user('Why is the sky blue?')], {});
    assert.ok(first.content.includes(demoDisclaimer));
    const chat = [user('Why?'), { role: 'assistant', content: first.content }];
    for (const next of ['And the grass?', 'a.ts:\n```ts\nclass A {}\n```']) {
      const { content } = await reply([...chat, user(next)], {});
      assert.ok(!content.includes(demoDisclaimer), content);
      assert.notEqual(content, '');
    }
  });
});
