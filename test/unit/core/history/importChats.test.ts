import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readChatFile, writeChatFile } from '../../../../src/core/history/chatFile.ts';
import { readImport } from '../../../../src/core/history/importChats.ts';
import { readSessionLog } from '../../../../src/core/history/importVsCode.ts';
import { assistants, foreignChat } from '../../../support/foreignChats.ts';
import { runs } from '../../../support/sample.ts';

const now = 1_800_000_000_000;
const unmasked = (text: string): string => text;

function read(value: unknown): ReturnType<typeof readImport> {
  return readImport(typeof value === 'string' ? value : JSON.stringify(value), now, unmasked);
}

/** Message and reply of each turn. */
function textsOf(value: unknown): readonly (readonly [string, string])[] {
  const file = read(value);
  assert.ok(!('problem' in file), JSON.stringify(file));
  return file.turns.map(({ question, parts }) => [
    question.text,
    parts.map((part) => (part.type === 'text' ? part.text : '?')).join(''),
  ]);
}

describe('chats of other assistants', () => {
  for (const assistant of assistants)
    it(`are imported completely or refused with one problem: 300 of ${assistant}, half of them damaged`, () => {
      let imported = 0;
      for (let seed = 0; seed < 300; seed += 1) {
        const { files, texts, isDamaged } = foreignChat(assistant, seed);
        const [text = ''] = Object.values(files);
        const file = readImport(text, now, unmasked);
        if ('problem' in file) {
          assert.ok(isDamaged, `${seed}: ${JSON.stringify(file)}`);
          continue;
        }
        imported += 1;
        assert.deepEqual(readChatFile(writeChatFile(file)), JSON.parse(JSON.stringify(file)));
        if (isDamaged) continue;
        const all = JSON.stringify(file.turns);
        for (const part of texts) {
          const written = JSON.stringify(part).slice(1, -1);
          // Texts may be inside JSON, such as a command in arguments of a call.
          assert.ok(all.includes(written), `${seed}: ${part} in ${all}`);
        }
      }
      assert.ok(imported >= 150 && imported < 200, `${imported}`);
    });

  it('are imported or refused, whatever a file contains', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const file = read(text);
        assert.ok('problem' in file || file.turns.length > 0);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('a session of Continue', () => {
  const session = (history: readonly object[]): object => ({ sessionId: 's', title: 'T', history });

  it('has a turn for each message, with its context, calls and results as text', () => {
    const turns = textsOf(
      session([
        { message: { role: 'system', content: 'Be good.' } },
        {
          message: { role: 'user', content: 'Why?' },
          contextItems: [{ name: 'a.ts', content: 'a();' }],
        },
        { message: { role: 'thinking', content: 'Hm.' } },
        {
          message: {
            role: 'assistant',
            content: 'I look.',
            toolCalls: [{ function: { name: 'read_file', arguments: '{"path":"a.ts"}' } }],
          },
        },
        { message: { role: 'tool', content: 'a();' } },
        { message: { role: 'assistant', content: 'So.' } },
        { message: { role: 'user', content: 'Thanks' } },
      ]),
    );
    const reply =
      'I look.\n\n**read\\_file**\n\n```json\n{"path":"a.ts"}\n```\n\n```text\na();\n```\n\nSo.';
    assert.deepEqual(turns, [
      ['Why?\n\na.ts:\n```\na();\n```', reply.replace('\\_', '_')],
      ['Thanks', ''],
    ]);
  });

  it('is refused as empty if it has no messages', () => {
    assert.deepEqual(read(session([])), { problem: 'empty' });
    assert.deepEqual(read(session([{ message: { role: 'user', content: ' ' } }])), {
      problem: 'empty',
    });
  });
});

describe('a task of Cline or Roo Code', () => {
  it('is imported without text added to messages, and with results in the previous reply', () => {
    const turns = textsOf([
      {
        role: 'user',
        content: [
          { type: 'text', text: '<task>\nFix it\n</task>' },
          { type: 'text', text: '<environment_details>a\nb</environment_details>' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', name: 'ls', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', content: [{ type: 'text', text: 'a.ts' }] },
          { type: 'text', text: 'Go on' },
        ],
      },
      { role: 'assistant', content: 'Done.' },
    ]);
    assert.deepEqual(turns, [
      ['Fix it', '**ls**\n\n```json\n{\n  "a": 1\n}\n```\n\n```text\na.ts\n```'],
      ['Go on', 'Done.'],
    ]);
  });

  it('can also be imported from its visible messages', () => {
    const turns = textsOf([
      { ts: 1, type: 'say', say: 'text', text: 'Fix it' },
      { ts: 2, type: 'say', say: 'api_req_started', text: '{"request":"…"}' },
      { ts: 3, type: 'say', say: 'text', text: 'I run the tests.' },
      { ts: 4, type: 'ask', ask: 'command', text: 'npm test' },
      { ts: 5, type: 'say', say: 'user_feedback', text: 'Go on' },
      { ts: 6, type: 'say', say: 'completion_result', text: 'Done.' },
    ]);
    assert.deepEqual(turns, [
      ['Fix it', 'I run the tests.\n\n**command**\n\n```json\nnpm test\n```'],
      ['Go on', 'Done.'],
    ]);
  });
});

describe('a chat of VS Code', () => {
  it('is imported with joined text, references, calls and edits', () => {
    const turns = textsOf({
      requests: [
        {
          message: 'Why?',
          response: [
            { value: 'See ' },
            { kind: 'inlineReference', name: 'f', inlineReference: {} },
            { value: '.' },
            { kind: 'toolInvocationSerialized', invocationMessage: 'Reading a.ts' },
            { kind: 'textEditGroup', uri: { path: '/w/a.ts' }, edits: [[{ text: 'b();' }]] },
            { kind: 'progressTaskSerialized', content: { value: 'Working' } },
            { value: { value: 'Done.' } },
          ],
        },
      ],
    });
    const reply = 'See `f`.\n\n> Reading a.ts\n\n`a.ts`:\n\n```\nb();\n```\n\nDone.';
    assert.deepEqual(turns, [['Why?', reply]]);
  });

  it('is imported from a log, of which no line can change a prototype', () => {
    const log = (...lines: readonly object[]): string =>
      lines.map((line) => JSON.stringify(line)).join('\n');
    const whole = { kind: 0, v: { requests: [{ message: 'a' }, { message: 'b' }] } };
    assert.deepEqual(readSessionLog(log(whole, { kind: 2, k: ['requests'], i: 1 })), {
      requests: [{ message: 'a' }],
    });
    for (const key of ['__proto__', 'constructor'])
      assert.equal(readSessionLog(log(whole, { kind: 1, k: [key, 'polluted'], v: 1 })), undefined);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });
});

describe('an imported chat', () => {
  const session = {
    sessionId: 's',
    title: 'The sesame',
    history: [{ message: { role: 'user', content: 'sesame', apiKey: 'sesame' } }],
  };

  it('contains no secrets, and no other data of its format', () => {
    const mask = (text: string): string => text.replaceAll('sesame', 'KEY');
    const file = readImport(JSON.stringify(session), now, mask);
    assert.doesNotMatch(JSON.stringify(file), /sesame/);
    assert.ok(!('problem' in file));
    assert.equal(file.title, 'The KEY');
    assert.deepEqual(file.usage, {});
  });

  it('has the times of its messages, and no time in the future', () => {
    const at = (ts: number): number => {
      const file = read([{ role: 'user', content: 'a', ts }]);
      return 'problem' in file ? 0 : (file.turns[0]?.startedAt ?? 0);
    };
    assert.equal(at(1000), 1000);
    for (const ts of [-1, 0, now + 1]) assert.equal(at(ts), now);
  });
});
