import assert from 'node:assert/strict';
import fc from 'fast-check';
import { replacements } from '../../../src/local/demoFileTask.ts';
import { demoDisclaimer } from '../../../src/local/demoAttachments.ts';
import { createService } from '../../../src/local/service.ts';
import { complete, user, type Outcome } from './asking.ts';

const tools = ['get_editor_state', 'read_file', 'edit_file', 'create_file'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
}));

/** The results of the calls of a turn, one after the other. */
function turn(question: string, results: readonly (readonly [string, object, string])[]): object[] {
  const rounds = results.map(([name, given, content], at) => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: `c${at}`, type: 'function', function: { name, arguments: JSON.stringify(given) } },
      ],
    },
    { role: 'tool', tool_call_id: `c${at}`, content },
  ]);
  return [user(question), ...rounds.flat()];
}

async function reply(messages: readonly object[], more: object = { tools }): Promise<Outcome> {
  return complete(createService({ pace: 0 }), { messages, ...more });
}

function callsOf({ toolCalls }: Outcome): readonly unknown[] {
  return toolCalls.map((call): unknown => [call.name, JSON.parse(call.arguments)]);
}

const suggestion = 'Find one small improvement for the open file and make it.';
const state = 'Active: src/a.ts, not saved\nCursor: line 1\n\nOpen files:\nsrc/a.ts';
const code = ['export function toCelsius(value: number): number {', '  return value;', '}'];
const file = `src/a.ts, lines 1-3 of 3\n${code.map((line, at) => `${at + 1}\t${line}`).join('\n')}`;
const looked = ['get_editor_state', {}, state] as const;
const read = ['read_file', { path: 'src/a.ts' }, file] as const;

/** Applies replacements like the tool: each text occurs once. */
function apply(text: string, edits: readonly { search: string; replace: string }[]): string {
  return edits.reduce((now, { search, replace }) => {
    assert.equal(now.split(search).length, 2, `${JSON.stringify(search)} in ${now}`);
    return now.replace(search, () => replace);
  }, text);
}

describe('a task on a file in the demo', () => {
  it('looks, reads, proposes an edit that can be made, and tells how it ended', async () => {
    assert.deepEqual(callsOf(await reply(turn(suggestion, []))), [['get_editor_state', {}]]);
    const reads = callsOf(await reply(turn(suggestion, [looked])));
    assert.deepEqual(reads, [['read_file', { path: 'src/a.ts' }]]);
    const [edit] = (await reply(turn(suggestion, [looked, read]))).toolCalls;
    assert.equal(edit?.name, 'edit_file');
    const given: unknown = JSON.parse(edit.arguments);
    const edits = [
      {
        search: code[0],
        replace: `/**\n * Converts to celsius.\n *\n * @param value The value.\n */\n${code[0]}`,
      },
    ];
    assert.deepEqual(given, { path: 'src/a.ts', edits });
    const endings = [
      ['Changed src/a.ts: +5 −0, lines 1–5.', /\*\*Undo\*\*/],
      ['The person denied this. Do not try it another way.', /denied the edit/],
      ['The text occurs twice.', /wasn’t made:\n\n> The text occurs twice/],
    ] as const;
    for (const [result, expected] of endings) {
      const ended = await reply(turn(suggestion, [looked, read, ['edit_file', edits, result]]));
      assert.deepEqual(ended.toolCalls, []);
      assert.match(ended.content, expected);
    }
  });

  it('begins with a file that the message names', async () => {
    const calls = callsOf(await reply([user('Please document src/b.py.')]));
    assert.deepEqual(calls, [['read_file', { path: 'src/b.py' }]]);
  });

  it('takes the first open file where none is active, and says so where none is open', async () => {
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

  it('changes nothing that it cannot read as a whole or certainly improve', async () => {
    const results = [
      'src/a.ts is empty.',
      'src/a.ts is binary (12 bytes): it has no text to read.',
      'src/a.ts, lines 1-1 of 3\n1\tfunction a() {}\n(Cut: read on from line 2.)',
      'src/a.ts, lines 1-1 of 1\n1\t// nothing to do',
    ];
    for (const result of results) {
      const given = turn(suggestion, [looked, ['read_file', { path: 'src/a.ts' }, result]]);
      const { toolCalls, content } = await reply(given);
      assert.deepEqual(toolCalls, [], result);
      assert.match(content, /found nothing/);
    }
  });

  it('creates a file in a language that it knows', async () => {
    const paths = [
      ['Create a file with notes', 'notes.md', /^# Written/],
      ['Add a new file src/new.py', 'src/new.py', /^# Written/],
      ['create a file x.ts', 'x.ts', /^\/\/ Written/],
      ['make a new file a.json', 'a.json', /^\{\}\n$/],
      ['create a css file main.css', 'main.css', /^\/\* .* \*\/\n$/],
    ] as const;
    for (const [question, path, expected] of paths) {
      const [call] = (await reply([user(question)])).toolCalls;
      const given: unknown = JSON.parse(call?.arguments ?? '');
      assert.equal(Reflect.get(Object(given), 'path'), path);
      assert.match(String(Reflect.get(Object(given), 'content')), expected);
    }
    const { toolCalls, content } = await reply([user('Create a file a.xyz')]);
    assert.deepEqual(toolCalls, []);
    assert.match(content, /a\.xyz/);
    const made = turn('Create a file', [['create_file', {}, 'Created notes.md: 4 lines.']]);
    assert.match((await reply(made)).content, /`notes\.md` is there/);
    const denied = turn('Create a file', [['create_file', {}, 'The person denied this.']]);
    assert.match((await reply(denied)).content, /no new file/);
  });

  it('is left alone without its tools, and where a call is spelled out', async () => {
    assert.deepEqual((await reply([user(suggestion)], {})).toolCalls, []);
    const spelled = 'Improve the open file: call edit_file with {"path":"a","edits":[]}';
    assert.deepEqual(callsOf(await reply([user(spelled)])), [
      ['edit_file', { path: 'a', edits: [] }],
    ]);
  });
});

describe('the replacements between two texts', () => {
  const line = fc.constantFrom('a', 'b', 'ab', '', '  a', '}', 'if (a) {');

  it('give the changed lines one by one, and never touch another place', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(line, line), { maxLength: 3 }), (pairs) => {
        const [before, after] = [0, 1].map((side) => pairs.map((pair) => pair[side]).join('\n'));
        const result = apply(before ?? '', replacements(before ?? '', after ?? ''));
        for (const [at, text] of result.split('\n').entries()) {
          assert.ok(pairs.length === 0 || pairs[at]?.some((one) => one === text), result);
        }
      }),
    );
  });

  it('keep every line where lines are only inserted', () => {
    const inserted = fc.array(fc.tuple(line, fc.boolean()), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(inserted, (lines) => {
        const before = lines.flatMap(([text, isNew]) => (isNew ? [] : [text])).join('\n');
        const after = lines.map(([text]) => text).join('\n');
        if (before.split('\n').length === after.split('\n').length) return;
        const rest = apply(before, replacements(before, after)).split('\n');
        for (const text of before.split('\n')) {
          const at = rest.indexOf(text);
          assert.ok(at >= 0);
          rest.splice(0, at + 1);
        }
      }),
    );
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
