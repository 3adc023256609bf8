import assert from 'node:assert/strict';
import { onlySample } from '../../../src/local/demo/chat.ts';
import { createService } from '../../../src/local/service.ts';
import { complete, readFileTool, user, type Outcome } from './serviceRequests.ts';

async function reply(content: string, more: object = {}): Promise<Outcome> {
  return complete(createService({ pace: 0 }), { messages: [user(content)], ...more });
}

function assistant(content: string): object {
  return { role: 'assistant', content };
}

function toolNamed(
  name: string,
  properties: object = {},
  required: readonly string[] = [],
): object {
  return {
    type: 'function',
    function: { name, parameters: { type: 'object', properties, required } },
  };
}

describe('replies', () => {
  describe('to words', () => {
    const cases = [
      ['Hello!', /I’m the \*\*Aside\*\* demo/],
      ['What can you do?', /“create the sample”/],
      ['show me markdown', /# Markdown[^]*```python[^]*\| Temperature/],
      ['Why is the sky blue?', /no script for that.*not a language model[^]*“create the sample”/],
      ['', /no script for that/],
    ] as const;
    for (const [message, expected] of cases)
      it(`to “${message}”`, async () => {
        assert.match((await reply(message)).content, expected);
      });

    it('have the requested length', async () => {
      for (const words of [1, 50, 3000]) {
        const { content } = await reply(`Please write ${words} words.`);
        const count = content.replace(/^## /gm, '').split(/\s+/).length;
        assert.ok(Math.abs(count - words) <= 2, `${count} words of ${words}`);
      }
    });

    it('end with the content filter after the blocked word', async () => {
      const { finishReason, content } = await reply('say blocked-word');
      assert.equal(finishReason, 'content_filter');
      assert.notEqual(content, '');
    });
  });

  describe('about attached code', () => {
    const conversion =
      'export function toFahrenheit(celsius: number): number {\n  return (celsius * 9) / 5 + 32;\n}';

    it('explain each part of the sample, with a formula and a table', async () => {
      const { content } = await reply(
        `What is this?\n\nsrc/temperature.ts, lines 8-10:\n\`\`\`ts\n${conversion}\n\`\`\``,
      );
      assert.match(content, /`toFahrenheit`[^]*\$\$F = [^]*\| 100 \| 212 \|/);
      assert.doesNotMatch(content, /Station/);
      const { content: python } = await reply(
        'Explain it.\n\nweather/server/report.py (lines 3-4, 1 hidden):\n~~~\n    return day.highest - day.lowest',
      );
      assert.match(python, /`spread`/);
    });

    it('describe the current text of a part', async () => {
      const about = async (text: string): Promise<string> =>
        (await reply(`src/temperature.ts:\n\`\`\`ts\n${text}\n\`\`\``)).content;
      assert.match(await about('  average(): number {'), /`average`[^]*Look out/);
      const fixed = await about('  average(): number | undefined {');
      assert.match(fixed, /`average`/);
      assert.doesNotMatch(fixed, /Look out/);
    });

    it('say for other code that only the sample is known, and how to create it', async () => {
      for (const other of [
        `src/app.ts:\n\`\`\`ts\n${conversion}\n\`\`\``,
        'What is this\n```\nplain\n```',
        'src/temperature.ts:\n```ts\nexport const mine = 1;\n```',
      ]) {
        const { content } = await reply(other);
        assert.equal(content, onlySample);
      }
    });
  });

  it('are valid JSON if that is requested, with and without code', async () => {
    const json = { response_format: { type: 'json_object' } };
    for (const message of ['show me markdown', 'a.ts:\n```ts\nclass A {}\n```'])
      JSON.parse((await reply(message, json)).content);
  });

  describe('of models that think', () => {
    it('have their thoughts in a separate field', async () => {
      const { reasoning, content, usage } = await reply('hello', { model: 'deepseek/reasoner' });
      assert.notEqual(reasoning, '');
      assert.match(content, /^Hello/);
      assert.ok((usage?.completion_tokens_details.reasoning_tokens ?? 0) > 10);
    });

    it('have their thoughts in the text between tags', async () => {
      const { reasoning, content } = await reply('hello', { model: 'qwen/thinker-32b' });
      assert.equal(reasoning, '');
      assert.match(content, /^<think>\n[^]+\n<\/think>\n\nHello/);
    });
  });

  describe('that continue', () => {
    const go = user('Continue exactly where you stopped.');
    const message = user('write 60 words');

    it('continue after several parts, and from text without its reasoning', async () => {
      const { content: whole } = await reply('write 60 words');
      const parts = [
        message,
        assistant(whole.slice(0, 30)),
        go,
        assistant(whole.slice(30, 90)),
        go,
      ];
      assert.equal((await reply('', { messages: parts })).content, whole.slice(90));
      const messages = [message, assistant(whole.slice(0, 30)), go];
      const thinking = await reply('', { messages, model: 'deepseek/reasoner' });
      assert.equal(thinking.content, whole.slice(30));
    });

    it('do not repeat complete thoughts in tags, and continue partial ones', async () => {
      const { content: whole } = await reply('write 60 words');
      const model = 'qwen/thinker-32b';
      const raw = (await reply('write 60 words', { model })).content;
      for (const end of [10, 20, raw.length - 100]) {
        const messages = [message, assistant(raw.slice(0, end)), go];
        const { content } = await reply('', { messages, model });
        assert.equal(content, end < 100 ? whole : whole.slice(-100));
      }
    });

    it('are not empty if there is nothing to continue', async () => {
      assert.notEqual((await reply(go.content)).content, '');
      const messages = [message, assistant('Something else entirely.'), go];
      assert.notEqual((await reply('', { messages })).content, '');
    });
  });

  describe('with tools', () => {
    const listFiles = toolNamed('list_files', { path: { type: 'string' } });
    const searchText = toolNamed(
      'search_text',
      { query: { type: 'string' }, limit: { type: 'integer' }, exact: { type: 'boolean' } },
      ['query', 'limit', 'exact'],
    );
    const tools = [readFileTool, listFiles, searchText];
    const cases = [
      ['call read_file for src/app.ts', [['read_file', { path: 'src/app.ts' }]]],
      [
        'call read_file for `src/app.ts` and README.md.',
        [
          ['read_file', { path: 'src/app.ts' }],
          ['read_file', { path: 'README.md' }],
        ],
      ],
      ['call search_text', [['search_text', { query: 'README.md', limit: 1, exact: true }]]],
      [
        'call read_file with {"path": "a b.ts", "lines": 3}',
        [['read_file', { path: 'a b.ts', lines: 3 }]],
      ],
      ['What can you do?', []],
    ] as const;
    for (const [message, expected] of cases)
      it(`to “${message}”`, async () => {
        const { toolCalls, finishReason } = await reply(message, { tools });
        const calls = toolCalls.map((call): unknown => [call.name, JSON.parse(call.arguments)]);
        assert.deepEqual(calls, expected);
        assert.equal(finishReason, expected.length > 0 ? 'tool_calls' : 'stop');
      });

    it('call any tool if a call is required', async () => {
      assert.equal((await reply('hello', { tools, tool_choice: 'required' })).toolCalls.length, 1);
    });

    it('describe the result of a tool', async () => {
      const call = { name: 'read_file', arguments: '{}' };
      const messages = [
        user('call read_file'),
        { ...assistant(''), tool_calls: [{ id: 'call_0', type: 'function', function: call }] },
        { role: 'tool', tool_call_id: 'call_0', content: 'first\nsecond' },
      ];
      const { content, finishReason } = await reply('', { tools, messages });
      assert.match(content, /`read_file` returned 2 lines:[^]*first\nsecond/);
      assert.equal(finishReason, 'stop');
    });
  });
});
