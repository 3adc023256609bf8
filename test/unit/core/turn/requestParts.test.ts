import fc from 'fast-check';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import { requestBody, withExtras } from '../../../../src/core/service/requestExtras.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import type { ToolDefinition } from '../../../../src/core/tools/tool.ts';
import {
  costOfLoss,
  estimateCache,
  tokensOfParts,
} from '../../../../src/core/turn/cacheEstimate.ts';
import { composeRequest } from '../../../../src/core/turn/prompt.ts';
import {
  requestParts,
  requestText,
  type RequestPart,
} from '../../../../src/core/turn/requestParts.ts';
import { promptCharacters } from '../../../../src/core/service/requestUsage.ts';
import { joinedParts } from '../../../support/joinedParts.ts';
import { runs } from '../../../support/sample.ts';
import { turnWith } from '../../../support/turns.ts';
import { chats, requests, requestsOf, tools, type SentRequest } from './randomChat.ts';

function split(
  { conversation, turn, settings }: Pick<SentRequest, 'conversation' | 'turn' | 'settings'>,
  definitions: readonly ToolDefinition[] = tools,
) {
  const source = composeRequest(conversation, turn, settings, definitions);
  const request = withExtras(source.request, { extraBody: { seed: 7 } });
  // Calls have the ids of the request, to compare both.
  return { request, parts: requestParts(request, { ...source, calls: [] }) };
}

describe('the parts of a request', () => {
  it('equal the whole request, byte for byte', () => {
    fc.assert(
      fc.property(requests, (generated) => {
        const { request, parts } = split(generated);
        const body: unknown = JSON.parse(JSON.stringify(requestBody(request)));
        assert.deepEqual(joinedParts(parts), body);
      }),
      { numRuns: runs(300) },
    );
  });

  it('have as many characters and tokens as the estimate of the request', () => {
    fc.assert(
      fc.property(requests, fc.double({ min: 1, max: 10, noNaN: true }), (generated, ratio) => {
        const { request, parts } = split(generated);
        const tokensOf = (characters: number): number => Math.ceil(characters / ratio);
        const characters = parts.reduce((sum, part) => sum + part.characters, 0);
        assert.equal(characters, promptCharacters(request));
        const tokens = tokensOfParts(parts, tokensOf);
        assert.ok(tokens.every((count) => count >= 0));
        assert.equal(
          tokens.reduce((sum, count) => sum + count, 0),
          tokensOf(characters),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  it('name attachments, instructions, tools, calls and results', () => {
    const call = {
      type: 'tool-call',
      id: 'c1',
      name: 'read_file',
      arguments: '{}',
      round: 1,
    } as const;
    const file = { id: 'f', name: 'a.ts', path: 'src/a.ts', language: 'ts', text: 'let a;' };
    const look = { name: 'look', description: '', parameters: {} };
    const named = {
      conversation: emptyConversation('c'),
      turn: turnWith({
        status: 'calling',
        question: { text: 'why?', attachments: [file] },
        parts: [{ ...call, status: 'done', result: 'found' }],
      }),
      settings: {
        instructions: 'Be kind.',
        stream: true,
        options: {},
        files: [{ path: 'AGENTS.md', text: 'Use tabs.' }],
      },
    };
    const { parts } = split(named, [{ type: 'function', function: look }]);
    assert.deepEqual(
      parts.map(({ kind, name }) => `${kind} ${name}`.trim()),
      [
        ...['tool look', 'system', 'custom', 'instructions', 'instructions AGENTS.md'],
        ...['attachment a.ts', 'message', 'call read_file', 'result read_file'],
        ...['option model', 'option stream', 'option seed'],
      ],
    );
  });

  it('do not split a message that only looks as if it had an attachment', () => {
    const request: CompletionRequest = {
      model: 'm',
      messages: [{ role: 'user', content: 'a.ts:\n```ts\nlet a;\n```\n\nwhy?' }],
    };
    const kinds = requestParts(request).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['message', 'option']);
  });
});

describe('the estimate of the cache', () => {
  const tokensOf = (characters: number): number => Math.ceil(characters / 4);
  const usage = {
    prompt_tokens: 900,
    completion_tokens: 0,
    total_tokens: 900,
    requests: 1,
    estimated: false,
  };

  it('never exceeds the shared beginning, or the tokens that the service reported', () => {
    const reports = fc.integer({ min: 0, max: 300 });
    const ofOneChat = chats
      .map(requestsOf)
      .filter((all) => all.length > 0)
      .chain((all) => fc.tuple(fc.constantFrom(...all), fc.constantFrom(...all)));
    const pairs = fc.oneof(ofOneChat, fc.tuple(requests, requests));
    fc.assert(
      fc.property(pairs, reports, ([before, after], cached) => {
        const [last, next] = [split(before).parts, split(after).parts];
        const sent = { model: 'm', parts: last, usage: { ...usage, cached_tokens: cached } };
        const { tokens, lost, brokenAt } = estimateCache('m', next, sent, tokensOf);
        const [first, second] = [next, last].map((parts) =>
          parts
            .filter(({ kind }) => kind !== 'option')
            .map(
              (part) => (part.kind === 'call' ? part.name : '') + part.text.padEnd(part.characters),
            )
            .join(''),
        );
        let common = 0;
        while (common < (first ?? '').length && first?.[common] === second?.[common]) common++;
        assert.ok(tokens <= cached && tokens >= 0 && lost >= 0);
        assert.ok(tokens <= tokensOf(common), `${tokens} of ${common} characters`);
        const whole = tokensOf(next.reduce((sum, { characters }) => sum + characters, 0));
        assert.ok(tokens + lost <= Math.min(cached, whole));
        if (brokenAt === undefined) assert.equal(lost, 0);
      }),
      { numRuns: runs(300) },
    );
  });

  const chat = (instructions: string, turns: readonly string[]): readonly RequestPart[] =>
    requestParts({
      model: 'm',
      messages: [
        { role: 'system', content: instructions },
        ...turns.map((content) => ({ role: 'user' as const, content })),
      ],
    });

  it('ends at the first changed part, and gives the cost of the change', () => {
    const last = { model: 'm', parts: chat('kind'.repeat(100), ['a'.repeat(400)]) };
    const sent = { ...last, usage: { ...usage, cached_tokens: 180 } };
    const longer = chat('kind'.repeat(100), ['a'.repeat(400), 'b']);
    const same = estimateCache('m', longer, sent, tokensOf);
    const known = { basis: 'known', reported: 180 };
    assert.deepEqual(same, { ...known, tokens: 180, brokenAt: undefined, lost: 0 });
    const changed = `${'kind'.repeat(50)}rude`;
    const broken = estimateCache('m', chat(changed, ['a'.repeat(400), 'b']), sent, tokensOf);
    assert.deepEqual(broken, { ...known, tokens: 50, brokenAt: 0, lost: 102 });
    assert.equal(costOfLoss(1_000_000, { input: 3, output: 9, cachedInput: 1 }), 2);
    assert.equal(costOfLoss(1_000_000, { input: 3, output: 9 }), undefined);
  });

  it('is unknown for the first request, another model, or a service that reports no usage', () => {
    const parts = chat('kind', ['a']);
    const basisOf = (...parameters: Parameters<typeof estimateCache>) =>
      estimateCache(...parameters).basis;
    assert.equal(basisOf('m', parts, undefined, tokensOf), 'first');
    assert.equal(basisOf('m', parts, { model: 'n', parts }, tokensOf), 'model');
    assert.equal(basisOf('m', parts, { model: 'm', parts }, tokensOf), 'unreported');
    const estimated = { ...usage, cached_tokens: 0, estimated: true };
    const sent = { model: 'm', parts, usage: estimated };
    assert.equal(basisOf('m', parts, sent, tokensOf), 'unreported');
  });
});

const strange: CompletionRequest = {
  model: 'some/model',
  messages: [
    { role: 'user', content: 'it\'s $HOME `id` "x"\n\u{200b}\u{e0041}\u{2028}\u{7f}\u{2800}end' },
  ],
  stream: true,
};
const readable = requestText(strange, 'https://api.example.com/v1');

describe('the text of a request', () => {
  it('shows the whole request, with visible escapes for invisible characters', () => {
    const json = readable
      .split('\n')
      .filter((line) => !line.startsWith('//'))
      .join('\n');
    assert.deepEqual(JSON.parse(json), strange);
    assert.doesNotMatch(readable, /[\u{200b}\u{e0041}\u{2028}\u{7f}\u{2800}]/u);
    assert.match(readable, /\\u200b\\udb40\\udc41\\u2028\\u007f\\u2800end/);
  });

  if (process.platform !== 'win32')
    it('includes a shell command that sends the same request, without the key', () => {
      const line =
        readable
          .split('\n')
          .find((candidate) => candidate.startsWith('// curl '))
          ?.slice(3) ?? '';
      const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
      const curlArguments = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
      assert.equal(curlArguments[1], 'https://api.example.com/v1/chat/completions');
      assert.ok(curlArguments.includes('Authorization: Bearer ‹key›'));
      assert.deepEqual(
        JSON.parse(curlArguments[curlArguments.indexOf('--data-raw') + 1] ?? ''),
        strange,
      );
    });
});
