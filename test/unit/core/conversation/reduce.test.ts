import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  canContinue,
  type Conversation,
  emptyConversation,
  type FileChange,
} from '../../../../src/core/conversation/conversation.ts';
import { type ConversationEvent, pushEvent } from '../../../../src/core/conversation/events.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import {
  endInterrupted,
  interruptedEnds,
  reduce,
} from '../../../../src/core/conversation/reduce.ts';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { turnStart } from '../../../support/turns.ts';
import { storedEvents } from '../history/anyConversation.ts';

const question = { text: 'Why?', attachments: [] };
const start: ConversationEvent = turnStart({ id: 't1', question });
const text = (text: string, at = 2): ConversationEvent => ({ type: 'text-delta', text, at });
const thought = (text: string, at = 2): ConversationEvent => {
  return { type: 'reasoning-delta', text, at };
};
const end = { type: 'turn-end', status: 'finished', finishReason: 'stop', at: 9 } as const;
const counts = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cached_tokens: 1 };
const usage = { ...counts, requests: 1, estimated: false };

const expected = { ...usage, completion_tokens: 0, total_tokens: 3, estimated: true };

function play(...events: readonly ConversationEvent[]): Conversation {
  return events.reduce(reduce, emptyConversation('c'));
}

describe('reduce', () => {
  it('renames and pins a chat, even while a turn runs, and reverts both', () => {
    const named = play(
      start,
      { type: 'title-change', title: 'Wind' },
      { type: 'pin-change', pinned: true },
    );
    assert.deepEqual([named.title, named.pinned, named.running?.id], ['Wind', true, 't1']);
    const unpinned = reduce(named, { type: 'pin-change', pinned: false });
    const plain = reduce(unpinned, { type: 'title-change', title: '' });
    assert.deepEqual([plain.title, plain.pinned], [undefined, undefined]);
  });

  it('builds a turn from events', () => {
    const [turn] = play(
      start,
      thought('h'),
      thought('m'),
      text('He'),
      text('llo', 4),
      { type: 'usage', usage },
      end,
    ).turns;
    assert.deepEqual(turn?.parts, [
      { type: 'reasoning', text: 'hm', startedAt: 2, endedAt: 2 },
      { type: 'text', text: 'Hello' },
    ]);
    assert.equal(turn.status, 'finished');
    assert.equal(turn.usage?.total_tokens, 5);
    assert.equal(turn.endedAt, 9);
  });

  it('shows the wait before an attempt, and hides it when the attempt starts', () => {
    const error = { kind: 'rate-limited', message: 'Slow down.' };
    const retry = { attempt: 2, attempts: 4, resumeAt: 1000, error };
    const waiting = play(start, { type: 'request-retry', retry });
    assert.equal(waiting.running?.status, 'retrying');
    assert.equal(reduce(waiting, { type: 'request-start' }).running?.retry, undefined);
  });

  it('keeps the order of reasoning, but puts it before a text that is continued', () => {
    const call: ConversationEvent = {
      type: 'tool-call-end',
      call: { id: 'c', name: 'list_files', arguments: '{}', outcome: 'stopped' },
    };
    const event = fc.oneof(fc.constant('text'), fc.constant('thought'), fc.constant('call'));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (kinds) => {
        const events = kinds.map((kind, index) => {
          if (kind === 'call') return call;
          return kind === 'text' ? text(`${index} `) : thought(`${index} `);
        });
        const continued: ConversationEvent = { type: 'turn-continue', at: 5 };
        const { running } = play(start, text('begun '), end, continued, ...events);
        const first = kinds.findIndex((kind) => kind !== 'thought');
        const before = first < 0 ? kinds.length : first;
        const order = [...events.slice(0, before), text('begun '), ...events.slice(before)];
        const words = order.map((event) => ('text' in event ? event.text : 'call ')).join('');
        const parts = running?.parts.map((part) => ('text' in part ? part.text : 'call '));
        assert.equal(parts?.join(''), words);
      }),
    );
  });

  it('allows an interrupted turn to be continued if it has text or a call', () => {
    const call = { id: 'c', name: 'look', arguments: '{}', round: 1 };
    const called: ConversationEvent[] = [{ type: 'tool-call-start', call }];
    const request = { by: 'panel', forChat: false, files: [] } as const;
    const stages: ConversationEvent[][] = [
      [],
      [{ type: 'tool-call-ask', id: 'c', question: request }],
      [{ type: 'tool-call-run', id: 'c', at: 2 }],
      [{ type: 'tool-call-result', id: 'c', outcome: 'done', result: 'x', at: 3 }],
    ];
    for (const stage of stages) {
      for (const before of [[], [text('Let me look.')]]) {
        const running = play(start, ...before, ...called, ...stage);
        const [turn] = endInterrupted(running).turns;
        assert.ok(turn !== undefined && canContinue(turn));
      }
    }
    for (const nothing of [[], [text(' \n')], [thought('Well.')]]) {
      const stopped: ConversationEvent = { type: 'turn-end', status: 'stopped', at: 9 };
      const [turn] = play(start, ...nothing, stopped).turns;
      assert.ok(turn !== undefined && !canContinue(turn));
    }
    const [finished] = play(start, text('Hello'), end).turns;
    assert.ok(finished !== undefined && !canContinue(finished));
  });

  it('ends a turn whose host was terminated with its text so far', () => {
    const error = { kind: 'interrupted', message: '' };
    const statuses = (...events: readonly ConversationEvent[]) =>
      interruptedEnds(play(...events), error).map((event) => 'status' in event && event.status);
    assert.deepEqual(statuses(start, text('half')), ['cut']);
    assert.deepEqual(statuses(start), ['failed']);
    assert.deepEqual(statuses(start, end), []);
  });

  it('gives the same result when deltas are merged, and when it is read back', () => {
    const outputs = fc.constantFrom('c0', 'c1').map((id) => ({ ...output('x'), id }));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(storedEvents, outputs), { maxLength: 60, size: 'max' }),
        (later) => {
          const calls = ['c0', 'c1'].map((id): ConversationEvent => ({
            type: 'tool-call-start',
            call: { id, name: 'look', arguments: '{}', round: 1 },
          }));
          const events = [start, ...calls, ...later];
          const joined: ConversationEvent[] = [];
          for (const event of events) pushEvent(joined, event);
          const expected = play(...events);
          assert.deepEqual(joined.reduce(reduce, emptyConversation('c')), expected);
          const first = writeHeader({ conversation: 'c', workspace: '', at: 0 });
          const lines = joined.map((event, index) => writeEvent(event, index + 1));
          const journal = readJournal('c', first + lines.join(''));
          assert.deepEqual(
            JSON.parse(JSON.stringify(journal.conversation)),
            JSON.parse(JSON.stringify(expected)),
          );
          assert.equal(journal.damaged, 0);
        },
      ),
    );
  });

  it('keeps all records if the number of one is damaged', () => {
    const events = Array.from({ length: 12 }, (_, index) => [{ ...start, id: `t${index}` }, end]);
    const lines = events.flat().map((event, index) => writeEvent(event, index + 1));
    for (const wrong of ['50', '3', '14']) {
      const damaged = lines.join('').replace('"number":10,', `"number":${wrong},`);
      assert.equal(readJournal('c', damaged).conversation.turns.length, 12);
    }
  });
});

describe('the tokens of reasoning', () => {
  const used = (reasoning_tokens?: number): ConversationEvent => ({
    type: 'usage',
    usage: {
      ...zeroUsage,
      requests: 1,
      ...(reasoning_tokens !== undefined && { reasoning_tokens }),
    },
  });
  const call: ConversationEvent = {
    type: 'tool-call-start',
    call: { id: 'c', name: 'look', arguments: '{}', round: 1 },
  };
  function tokensAfter(...events: readonly ConversationEvent[]): readonly (number | undefined)[] {
    const conversation = [start, ...events, end].reduce(reduce, emptyConversation('c'));
    const parts = conversation.turns[0]?.parts ?? [];
    return parts.flatMap((part) => (part.type === 'reasoning' ? [part.tokens] : []));
  }

  it('are those of its own request, divided by the length of its parts', () => {
    assert.deepEqual(
      tokensAfter(
        ...[thought('1234'), text('So'), thought('12'), used(30)],
        ...[call, thought('1'), used(7)],
      ),
      [20, 10, 7],
    );
  });

  it('are undefined if the service reports none', () => {
    assert.deepEqual(tokensAfter(thought('1234'), used(), call, thought('12'), used(9)), [
      undefined,
      9,
    ]);
  });
});

describe('the usage of a chat', () => {
  /** A request of a turn, which is sent, and then reported, refused or still running. */
  const request = fc.record({
    estimate: fc.integer({ min: 1, max: 10_000 }),
    reported: fc.option(fc.nat(20_000)),
    retries: fc.nat(2),
    isRefused: fc.boolean(),
    /** Lengths of the texts that each attempt receives. */
    pieces: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 4 }),
  });

  function sent(tokens: number): ConversationEvent {
    const estimate = { ...expected, prompt_tokens: tokens, total_tokens: tokens };
    return { type: 'request-sent', usage: estimate };
  }

  it('counts every request that was sent, and the text received, wherever the journal ends', () => {
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 6 }), fc.nat(), (requests, cut) => {
        const events: ConversationEvent[] = [start];
        /** Least usage that must be counted after each event. */
        const least = [0];
        let settled = 0;
        const push = (event: ConversationEvent, used: number): void => {
          events.push(event);
          least.push(used);
        };
        for (const { estimate, reported, retries, isRefused, pieces } of requests) {
          for (let attempt = 0; attempt <= retries; attempt++) {
            push(sent(estimate), settled + estimate);
            let received = 0;
            for (const [index, length] of pieces.entries()) {
              received += length;
              const piece = 'a'.repeat(length);
              const at = 1;
              const thought = { type: 'reasoning-delta', text: piece, at } as const;
              push(
                index % 2 === 1 ? thought : text(piece),
                settled + estimate + Math.ceil(received / 4),
              );
            }
          }
          const billed = isRefused ? 0 : (reported ?? estimate);
          settled += billed;
          const used = isRefused ? { ...usage, requests: 0 } : { ...usage, total_tokens: billed };
          push({ type: 'usage', usage: used }, settled);
        }
        const length = 1 + (cut % events.length);
        const lines = events.slice(0, length).map((event, index) => writeEvent(event, index + 1));
        const { conversation } = readJournal('c', lines.join(''));
        const [interrupted] = interruptedEnds(conversation);
        assert.ok(interrupted);
        const restored = reduce(conversation, interrupted);
        const total = restored.usage['m']?.total_tokens ?? 0;
        assert.equal(total, least[length - 1]);
        assert.equal(restored.turns[0]?.usage?.total_tokens ?? 0, total);
        assert.equal(restored.turns[0]?.unsettled, undefined);
      }),
    );
  });

  it('keeps the estimate of a running turn that is removed', () => {
    const removed = play(start, sent(40), { type: 'turn-remove', id: 't1' });
    assert.equal(removed.usage['m']?.total_tokens, 40);
    assert.equal(removed.usage['m'].estimated, true);
  });

  it('counts an interrupted request of the demo with the demo', () => {
    const event: ConversationEvent = { type: 'request-sent', usage: expected, demo: true };
    const { usage: sums, demoUsage } = play(start, event, end);
    assert.deepEqual([sums, demoUsage], [{}, { m: expected }]);
  });
});

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
const stopped: ConversationEvent = { type: 'turn-end', status: 'stopped', at: 9 };
const output = (text: string) => ({ type: 'tool-call-output', id: 'c', text }) as const;

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
      [approvalRequest, stopped],
      [runs, approvalRequest, stopped],
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
    const part = partAfter(called, approvalRequest, stopped, runs, result);
    assert.ok(part?.type === 'tool-call');
    assert.deepEqual([part.status, part.question, part.endedAt], ['stopped', undefined, 9]);
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
      assert.deepEqual(readJournal('c', lines).conversation, play(...part));
    }
  });
});

describe('a paused turn', () => {
  const pause: ConversationEvent = { type: 'turn-pause', pause: { reason: 'rounds' } };

  it('waits, and can be resumed or ended', () => {
    assert.equal(play(start, pause).running?.status, 'paused');
    const resumed = play(start, pause, { type: 'turn-resume' }).running;
    assert.deepEqual([resumed?.status, resumed?.pause], ['waiting', undefined]);
    assert.equal(play(start, pause, stopped).turns[0]?.pause, undefined);
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
    assert.deepEqual(play(start, changed('t1')).running?.changes, [change]);
    const later = play(start, stopped, second, stopped, changed('t1'));
    assert.deepEqual(
      later.turns.map(({ changes }) => changes),
      [[change], undefined],
    );
    assert.deepEqual(play(start, stopped, changed('gone')).turns[0]?.changes, undefined);
  });
});
