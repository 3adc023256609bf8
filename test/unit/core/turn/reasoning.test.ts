import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emptyConversation,
  partText,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { ServiceClient, type CompletionEvent } from '../../../../src/core/service/client.ts';
import { withoutThoughts } from '../../../../src/core/service/thinkSplitter.ts';
import { requestOnce } from '../../../../src/core/turn/replyEvents.ts';
import { fetchOf } from '../../../support/fetchOf.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { turnStart } from '../../../support/turns.ts';

type Piece = { readonly type: 'text' | 'reasoning'; readonly text: string };

/** The turn of a reply that arrives in these pieces. */
async function turnOf(pieces: readonly Piece[]): Promise<Turn> {
  const service = {
    async *stream(): AsyncGenerator<CompletionEvent, void> {
      await Promise.resolve();
      yield* pieces;
      const completion = {
        toolCalls: [],
        finishReason: 'stop',
        usage: undefined,
        model: undefined,
        fault: undefined,
        doneSeen: true,
        malformedEvents: 0,
      };
      yield { type: 'end', completion };
    },
  };
  const clock = new ManualClock();
  const client = new ServiceClient({
    baseUrl: 'https://api.test/v1',
    apiKey: 'sk-x',
    fetch: fetchOf(service),
    clock,
    silenceLimit: 30_000,
  });
  const events: ConversationEvent[] = [turnStart({ model: 'm' })];
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'Why?' }],
    stream: true,
  };
  const options = {
    client,
    clock,
    signal: new AbortController().signal,
    describe: (error: unknown) => ({ kind: 'any', message: String(error) }),
  };
  for await (const event of requestOnce(request, options)) events.push(event);
  const [turn] = events.reduce(reduce, emptyConversation('c')).turns;
  assert.ok(turn);
  return turn;
}

const piece: fc.Arbitrary<Piece> = fc.record({
  type: fc.constantFrom('text' as const, 'reasoning' as const),
  text: fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('<think>', '</think>', '\u{202e}')),
});

describe('the reasoning of a reply', () => {
  it('is separate from the text, in the order in which both arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const text = textIn('text', pieces);
        fc.pre(withoutThoughts(text) === text);
        const turn = await turnOf(pieces);
        for (const type of ['text', 'reasoning'] as const)
          assert.equal(textIn(type, turn.parts), textIn(type, pieces));
        for (const [index, part] of turn.parts.entries()) {
          assert.notEqual(part.type, turn.parts[index + 1]?.type);
          assert.ok(part.type !== 'reasoning' || part.endedAt !== undefined);
        }
        const { length } = pieces.map(({ text }) => text).join('');
        assert.equal(turn.usage?.completion_tokens, Math.ceil(length / 4), 'It is counted.');
      }),
      { numRuns: 200 },
    );
  });

  it('includes text before an end mark without a beginning', async () => {
    const pieces = ['Okay, the user', ' asks.\n</th', 'ink>\n\nHel', 'lo'];
    const turn = await turnOf(pieces.map((text) => ({ type: 'text', text })));
    assert.deepEqual(
      turn.parts.map((part) => part.type !== 'tool-call' && [part.type, partText(part)]),
      [
        ['reasoning', 'Okay, the user asks.\n'],
        ['text', 'Hello'],
      ],
    );
    const [thought] = turn.parts;
    assert.ok(thought?.type === 'reasoning' && thought.endedAt !== undefined);
    assert.deepEqual([turn.status, turn.error], ['finished', undefined]);
  });

  it('is all of a reply that has nothing after its end mark', async () => {
    const turn = await turnOf([{ type: 'text', text: 'Hm.\n</think>\n' }]);
    assert.deepEqual(
      turn.parts.map(({ type }) => type),
      ['reasoning'],
    );
    assert.deepEqual(
      [turn.status, turn.error?.message],
      ['cut', 'ServiceError: The reply was empty'],
    );
  });

  it('leaves text of an earlier request where it was', () => {
    const text = (part: string): ConversationEvent => ({ type: 'text-delta', text: part, at: 2 });
    const usual = { status: 'finished' as const, at: 3 };
    const events: readonly ConversationEvent[] = [
      turnStart({ model: 'm' }),
      text('One, '),
      { type: 'turn-end', ...usual },
      { type: 'turn-continue', at: 4 },
      text('Hm.'),
      { type: 'text-to-reasoning', length: 3, startedAt: 2, at: 5 },
      text('two.'),
    ];
    const { running } = events.reduce(reduce, emptyConversation('c'));
    assert.deepEqual(running?.parts, [
      { type: 'reasoning', text: 'Hm.', startedAt: 2, endedAt: 5 },
      { type: 'text', text: 'One, two.' },
    ]);
  });
});

function textIn(type: Piece['type'], parts: readonly object[]): string {
  return parts
    .map((part) => ('type' in part && part.type === type && 'text' in part ? part.text : ''))
    .join('');
}
