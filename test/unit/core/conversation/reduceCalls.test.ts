import assert from 'node:assert/strict';
import {
  emptyConversation,
  type FileChange,
} from '../../../../src/core/conversation/conversation.ts';
import { type ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { writeEvent } from '../../../../src/core/conversation/record.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { reduceWindow } from '../../../../src/core/conversation/window.ts';
import { turnStart } from '../../../support/turns.ts';

const question = { text: 'Why?', attachments: [] };
const start: ConversationEvent = turnStart({ question });
const call = {
  id: 'c',
  name: 'look',
  arguments: '{}',
  round: 1,
  title: 'Look',
  icon: 'eye',
  summary: { many: 'Look at {0} things', distinct: { argument: 'name', one: 'Look at 1 thing' } },
};
const called: ConversationEvent = { type: 'tool-call-start', call };
const runs: ConversationEvent = { type: 'tool-call-run', id: 'c', at: 2 };
const approvalRequest: ConversationEvent = {
  type: 'tool-call-ask',
  id: 'c',
  question: {
    by: 'panel',
    forChat: true,
    files: [{ path: 'a.ts', kind: 'edit', addedLines: 1, removedLines: 2 }],
  },
};
const result: ConversationEvent = {
  type: 'tool-call-result',
  id: 'c',
  outcome: 'done',
  result: 'Seen.',
  at: 5,
};
const end: ConversationEvent = { type: 'turn-end', status: 'stopped', at: 9 };
const output = (text: string): ConversationEvent => ({ type: 'tool-call-output', id: 'c', text });

function play(...events: ConversationEvent[]) {
  return events.reduce(reduce, emptyConversation('x'));
}

function partAfter(...events: ConversationEvent[]) {
  const { running, turns } = play(start, ...events);
  return (running ?? turns[0])?.parts[0];
}

describe('a tool call', () => {
  it('waits, asks, runs and ends', () => {
    const states = [
      [called],
      [called, approvalRequest],
      [called, approvalRequest, runs],
      [called, approvalRequest, runs, result],
    ];
    const seen = states.map((events) => partAfter(...events));
    assert.deepEqual(
      seen.map((part) => part?.type === 'tool-call' && part.status),
      ['waiting', 'asking', 'running', 'done'],
    );
    assert.deepEqual(seen[3], {
      type: 'tool-call',
      ...call,
      status: 'done',
      question: undefined,
      grant: undefined,
      result: 'Seen.',
      startedAt: 2,
      endedAt: 5,
    });
  });

  it('takes no time while waiting for approval, even if it never runs', () => {
    for (const events of [
      [approvalRequest, end],
      [runs, approvalRequest, end],
      [approvalRequest, { ...result, outcome: 'denied' as const }],
    ]) {
      const part = partAfter(called, ...events);
      assert.ok(part?.type === 'tool-call');
      const { startedAt, endedAt } = part;
      assert.ok(startedAt === undefined || startedAt === endedAt);
    }
  });

  it('keeps the end of its output', () => {
    const part = partAfter(called, runs, output('a'.repeat(30_000)), output('b'));
    assert.ok(part?.type === 'tool-call');
    assert.equal(part.output, `${'a'.repeat(19_999)}b`);
  });

  it('is stopped with its turn, and does not change after its end', () => {
    const stopped = partAfter(called, approvalRequest, end, runs, result);
    assert.ok(stopped?.type === 'tool-call');
    assert.deepEqual(
      [stopped.status, stopped.question, stopped.endedAt],
      ['stopped', undefined, 9],
    );
    assert.deepEqual(
      partAfter(called, runs, result, approvalRequest, output('x')),
      partAfter(called, runs, result),
    );
  });

  it('is not confused with another call', () => {
    const other: ConversationEvent = { type: 'tool-call-start', call: { ...call, id: 'd' } };
    const { running } = play(start, called, other, runs, { ...result, id: 'unknown' });
    assert.deepEqual(
      running?.parts.map((part) => part.type === 'tool-call' && part.status),
      ['running', 'waiting'],
    );
  });

  it('survives the journal in each of its states', () => {
    const events = [start, called, approvalRequest, runs, output('x'), result];
    for (let count = 1; count <= events.length; count++) {
      const part = events.slice(0, count);
      const lines = part.map((event, index) => writeEvent(event, index + 1)).join('');
      assert.deepEqual(readJournal('x', lines).conversation, play(...part));
    }
  });
});

describe('a paused turn', () => {
  const pause: ConversationEvent = { type: 'turn-pause', pause: { reason: 'rounds' } };

  it('waits, and can be resumed or ended', () => {
    assert.equal(play(start, pause).running?.status, 'paused');
    const resumed = play(start, pause, { type: 'turn-resume' }).running;
    assert.deepEqual([resumed?.status, resumed?.pause], ['waiting', undefined]);
    assert.equal(play(start, pause, end).turns[0]?.pause, undefined);
  });
});

describe('the files that a turn changed', () => {
  const change: FileChange = {
    id: 'f',
    path: 'a.ts',
    kind: 'edit',
    addedLines: 1,
    removedLines: 0,
    status: 'changed',
  };
  const changed = (turn: string): ConversationEvent => ({
    type: 'files-change',
    turn,
    changes: [change],
  });
  const second: ConversationEvent = { ...start, id: 'u' };

  it('are added to a running turn and to earlier turns', () => {
    assert.deepEqual(play(start, changed('t')).running?.changes, [change]);
    const later = play(start, end, second, end, changed('t'));
    assert.deepEqual(
      later.turns.map(({ changes }) => changes),
      [[change], undefined],
    );
    assert.deepEqual(play(start, end, changed('gone')).turns[0]?.changes, undefined);
  });

  it('are added to turns in a window of older turns', () => {
    const { turns } = play(start, end, second, end);
    const conversation = { ...emptyConversation('x'), turns: turns.slice(0, 1) };
    const held = { conversation, before: 0, after: 1 };
    const window = reduceWindow(held, changed('t'));
    assert.deepEqual(window?.conversation.turns[0]?.changes, [change]);
    assert.deepEqual(reduceWindow(held, changed('u')), held);
  });
});
