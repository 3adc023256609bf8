import assert from 'node:assert/strict';
import type { Part, Turn } from '../../../../src/core/conversation/conversation.ts';
import { findInTurns, findPattern } from '../../../../src/core/conversation/findInTurns.ts';
import { turnWith, userMessage } from '../../../support/turns.ts';

function turnOf(question: string, ...parts: Part[]): Turn {
  return turnWith({ question: userMessage(question), parts });
}

function find(query: string, ...turns: Turn[]) {
  const pattern = findPattern(query);
  assert.ok(pattern !== undefined);
  return [...findInTurns(turns, pattern)].filter((match) => match !== undefined);
}

function hits(query: string, text: string): number {
  return find(query, turnOf('', { type: 'text', text }))[0]?.hits ?? 0;
}

describe('finding in turns', () => {
  it('searches messages, replies, reasoning and tool calls', () => {
    const turn = turnOf(
      'A needle?',
      { type: 'reasoning', text: 'needle, needle', startedAt: 0 },
      { type: 'text', text: 'no' },
      {
        type: 'tool-call',
        id: 'c',
        name: 'find_needle',
        round: 1,
        status: 'done',
        arguments: '{"in":"hay"}',
      },
      { type: 'text', text: 'A NEEDLE.' },
    );
    assert.deepEqual(find('Needle', turn), [
      { turn: 't', part: undefined, hits: 1 },
      { turn: 't', part: 0, hits: 2 },
      { turn: 't', part: 2, hits: 1 },
      { turn: 't', part: 3, hits: 1 },
    ]);
  });

  it('matches words in any case and with any space between them', () => {
    assert.equal(hits('a.b (c)', 'A.B (C), axb (c)'), 1);
    assert.equal(hits('one two', 'one\n  two, onetwo'), 1);
    assert.equal(hits('GRÜSSE 日本', 'grüsse 日本'), 1);
    assert.equal(findPattern('  \n'), undefined);
    for (const sign of '\\^$.*+?()[]{}|/-#&~') assert.equal(hits(`x${sign}`, `x${sign}`), 1, sign);
  });

  it('finds visible text across invisible markup', () => {
    for (const text of [
      'some **bold** text',
      'some __bold__ text',
      'some ***bo**ld* text',
      'some `bold` text',
      'some ~~bold~~ text',
      'some [bold](https://example.com/a_b) text',
      'some ![bold][x](y) text some bold text',
      'some bo\\ld text some bold text',
    ])
      assert.equal(hits('some bold text', text), 1, text);
  });

  it('finds literal markup', () => {
    assert.equal(hits('**bold**', 'some **bold** text'), 1);
    assert.equal(hits('snake_case', 'a snake_case name'), 1);
    assert.equal(hits('__init__', 'def __init__(self)'), 1);
    assert.equal(hits('2 * 3 * 4', '2 * 3 * 4'), 1);
  });

  it('takes linear time for adversarial text', () => {
    for (const sign of ['[', '*', '_', '\\', '![', '](', '`'])
      assert.equal(hits('nothing', sign.repeat(500_000)), 0);
  });
});
