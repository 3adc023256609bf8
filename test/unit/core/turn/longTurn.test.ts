import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emptyConversation, type Turn } from '../../../../src/core/conversation/conversation.ts';
import type { WireMessage } from '../../../../src/core/service/wire.ts';
import { buildRequest } from '../../../../src/core/turn/prompt.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';

const line =
  '[The result of read_file was left out to save space. Call the tool again if it is needed.]';

/** A turn with one call in each round, after the last result. */
function callingTurn(results: readonly number[]): Turn {
  return turnWith({
    question: userMessage('Read all of it.'),
    status: 'calling',
    parts: results.map((length, index) => ({
      type: 'tool-call',
      id: `call-${index}`,
      name: 'read_file',
      arguments: '{}',
      round: index + 1,
      status: 'done',
      result: 'r'.repeat(length),
      startedAt: 0,
    })),
  });
}

function messagesOf(results: readonly number[], room?: number): readonly WireMessage[] {
  const settings = { instructions: '', stream: true, options: {}, room };
  return buildRequest(emptyConversation('c'), callingTurn(results), settings).messages.slice(1);
}

/** Length of the messages, and 6000 characters for the system message and the tools. */
function lengthOf(messages: readonly WireMessage[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 6000);
}

describe('a turn with many rounds', () => {
  const rounds = fc.array(fc.nat(4000), { minLength: 1, maxLength: 30 });
  const anyRoom = fc.integer({ min: 7000, max: 60_000 });

  it('is sent unchanged if it fits, or the window is unknown', () => {
    fc.assert(
      fc.property(rounds, anyRoom, (results, room) => {
        const full = messagesOf(results);
        assert.ok(full.every(({ content }) => content !== line));
        if (lengthOf(full) <= room) assert.deepEqual(messagesOf(results, room), full);
      }),
    );
  });

  it('fits with its oldest results as one line each, and the last round in full', () => {
    fc.assert(
      fc.property(rounds, anyRoom, (results, room) => {
        const full = messagesOf(results);
        const sent = messagesOf(results, room);
        assert.deepEqual(sent.at(-1), full.at(-1));
        const isWhole = sent.map((message, index) => message.content === full[index]?.content);
        const [isLong, isShort] = [full, sent].map((messages) =>
          messages.map(({ content }) => (content?.length ?? 0) > line.length),
        );
        // Only the oldest results are shortened. Results shorter than the line stay.
        const lastShort = isWhole.lastIndexOf(false);
        for (let index = 0; index < lastShort; index++)
          if (isLong?.[index] === true && full[index]?.role === 'tool')
            assert.equal(isShort?.[index], false);
        const others = full.map((message, index) =>
          message.role === 'tool' && index < full.length - 1 && isLong?.[index] === true
            ? { ...message, content: line }
            : message,
        );
        if (lengthOf(others) <= room) assert.ok(lengthOf(sent) <= room);
        else assert.deepEqual(sent, others);
      }),
    );
  });

  it('begins with the same bytes in most rounds', () => {
    const results = Array.from({ length: 80 }, () => 2000);
    let steps = 0;
    for (let round = 1; round < results.length; round++) {
      const before = messagesOf(results.slice(0, round), 40_000);
      const after = messagesOf(results.slice(0, round + 1), 40_000).slice(0, before.length);
      if (JSON.stringify(before) !== JSON.stringify(after)) steps += 1;
    }
    assert.ok(steps > 2 && steps < 25, `${steps} steps`);
  });
});
