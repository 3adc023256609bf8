import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emptyConversation,
  type Conversation,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { findFirstSent } from '../../../../src/core/turn/contextLimit.ts';
import { cutFor } from '../../../../src/core/turn/prompt.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';

function turn(id: string, answer: string, more: Partial<Turn> = {}): Turn {
  return turnWith({
    id,
    question: userMessage(`Question ${id}`),
    parts: [{ type: 'text', text: answer }],
    ...more,
  });
}

const lengthOf = ({ parts }: Turn): number =>
  parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);

function chatOf(lengths: readonly number[]): Turn[] {
  return lengths.map((length, index) => turn(`t${index}`, 'x'.repeat(length)));
}

describe('findFirstSent', () => {
  it('omits nothing if everything fits', () => {
    const room = { characters: 100, fixedCharacters: 10 };
    assert.equal(findFirstSent(chatOf([40, 50]), lengthOf, room), undefined);
    assert.equal(findFirstSent([], lengthOf, room), undefined);
  });

  it('omits all turns if the message alone is too long', () => {
    assert.equal(
      findFirstSent(chatOf([40, 50]), lengthOf, { characters: 100, fixedCharacters: 500 }),
      '',
    );
  });

  it('fits the remaining turns, and omits at most two quarters more than needed', () => {
    const turns = fc.array(fc.nat(30), { maxLength: 60 });
    fc.assert(
      fc.property(turns, fc.integer({ min: 100, max: 400 }), fc.nat(80), (lengths, most, fixed) => {
        const room = { characters: most, fixedCharacters: fixed };
        const first = findFirstSent(chatOf(lengths), lengthOf, room);
        const index = first === undefined ? 0 : Number(first.slice(1));
        const sent = first === '' ? [] : lengths.slice(index);
        const sum = sent.reduce((total, length) => total + length, fixed);
        assert.ok(sum <= most);
        if (first !== undefined && first !== '') assert.ok(sum + most / 4 + 30 >= most);
      }),
    );
  });
});

describe('a chat that is longer than the context window', () => {
  const question = { text: 'And now?', attachments: [] };
  const turns = chatOf(Array.from({ length: 1000 }, () => 1000));
  const conversation: Conversation = { ...emptyConversation('c'), turns };
  const settings = { instructions: '', stream: true, options: {}, contextWindow: 100_000 };
  const tokensOf = (characters: number): number => characters / 4;

  it('is sent completely if the window is unknown', () => {
    const unknown = { ...settings, contextWindow: undefined };
    assert.deepEqual(cutFor(question, 'm', conversation, unknown, tokensOf), {});
  });
});
