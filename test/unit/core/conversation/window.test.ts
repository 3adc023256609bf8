import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emptyConversation, type Turn } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { readNewestTurns, Replay } from '../../../../src/core/conversation/journalReader.ts';
import { writeEvent } from '../../../../src/core/conversation/record.ts';
import { withoutOthers } from '../../../../src/core/conversation/paths.ts';
import {
  viewBatchLimit,
  reduceWindow,
  turnLength,
  adjacentTurns,
  windowAround,
  type ConversationWindow,
} from '../../../../src/core/conversation/window.ts';
import { longConversation } from '../../../support/longJournal.ts';
import { turnStart } from '../../../support/turns.ts';

const question = { text: 'Why?', attachments: [] };
const start = (id: string): ConversationEvent => turnStart({ id, question });
const end: ConversationEvent = { type: 'turn-end', status: 'stopped', at: 3 };
const delta: ConversationEvent = { type: 'text-delta', text: 'So.', at: 2 };

function ids(turns: readonly Turn[]): string[] {
  return turns.map(({ id }) => id);
}

/** A window into a chat of ten turns. */
function windowOf(first: number, last: number): ConversationWindow {
  const conversation = longConversation(10, 400);
  const { turns } = conversation;
  return {
    conversation: { ...conversation, turns: turns.slice(first, last) },
    before: first,
    after: turns.length - last,
  };
}

function play(window: ConversationWindow, ...events: ConversationEvent[]) {
  return events.reduce<ConversationWindow | undefined>(
    (sum, event) => (sum === undefined ? undefined : reduceWindow(sum, event)),
    window,
  );
}

describe('a window of a conversation', () => {
  const long = longConversation(5000, 4000);

  it('starts with a batch of the newest turns', () => {
    const { conversation, before, after } = windowAround(long);
    assert.equal(conversation.turns.at(-1)?.id, 'turn-5000');
    assert.equal(before + conversation.turns.length, 5000);
    assert.equal(after, 0);
    assert.ok(JSON.stringify(conversation).length < viewBatchLimit.length * 1.5);
  });

  it('is around the requested turn, or at the end if there is no such turn', () => {
    const { conversation, before, after } = windowAround(long, 'turn-700');
    assert.equal(before + conversation.turns.length + after, 5000);
    assert.equal(conversation.turns.findIndex(({ id }) => id === 'turn-700') + before, 699);
    assert.ok(conversation.turns.length <= 2 * viewBatchLimit.turns);
    assert.equal(windowAround(long, 'gone').after, 0);
  });

  it('has at least one turn, however long that is', () => {
    const turns = longConversation(3, viewBatchLimit.length * 2).turns;
    const { conversation } = windowAround({ ...long, turns });
    assert.deepEqual(ids(conversation.turns), ['turn-3']);
    assert.deepEqual(adjacentTurns({ ...long, turns }, 'after', 'turn-1')?.turns, [turns[1]]);
  });

  it('extends at both edges until it contains all turns, each once', () => {
    const { conversation } = windowAround(long, 'turn-2500');
    const seen = [...conversation.turns];
    for (const side of ['before', 'after'] as const) {
      for (;;) {
        const edge = seen.at(side === 'before' ? 0 : -1)?.id ?? '';
        const next = adjacentTurns(long, side, edge);
        assert.ok(next !== undefined && next.turns.length <= viewBatchLimit.turns);
        if (side === 'before') seen.unshift(...next.turns);
        else seen.push(...next.turns);
        if (next.remaining === 0) break;
        const length = next.turns.reduce((sum, turn) => sum + turnLength(turn), 0);
        assert.ok(length <= viewBatchLimit.length || next.turns.length === 1);
      }
    }
    assert.deepEqual(ids(seen), ids(long.turns));
    assert.equal(adjacentTurns(long, 'before', 'gone'), undefined);
  });

  it('tracks the running turn, and keeps a new turn only at its end', () => {
    const atEnd = play(windowOf(5, 10), start('new'), delta, end);
    assert.equal(atEnd?.conversation.turns.length, 6);
    const behind = play(windowOf(2, 5), start('new'), delta);
    assert.ok(behind !== undefined);
    assert.equal(behind.conversation.running?.id, 'new');
    const ended = play(behind, end);
    assert.deepEqual(ids(ended?.conversation.turns ?? []), ['turn-3', 'turn-4', 'turn-5']);
    assert.deepEqual([ended?.before, ended?.after], [2, 6]);
    assert.equal(ended?.conversation.running, undefined);
  });

  it('extends before a running turn, even if that is its only turn', () => {
    const running = longConversation(12, 400).turns[11];
    const conversation = { ...longConversation(11, 400), running };
    const next = adjacentTurns(conversation, 'before', 'turn-12');
    assert.equal(next?.turns.length, 11);
  });
});

describe('reduceWindow', () => {
  const anyEvent: fc.Arbitrary<ConversationEvent> = fc.oneof(
    fc.nat(6).map((id) => start(`t${id}`)),
    fc.constant(delta),
    fc.constant(end),
    fc.constant(end),
    fc.constant<ConversationEvent>({ type: 'turn-continue', at: 5 }),
    fc.nat(6).map((id): ConversationEvent => ({ type: 'turn-remove', id: `t${id}` })),
    fc.nat(6).map((id): ConversationEvent => ({ type: 'version-select', turn: `t${id}` })),
    fc
      .nat(6)
      .map((id): ConversationEvent => ({ type: 'files-change', turn: `t${id}`, changes: [] })),
  );

  /** Plays events with ids that exist, and writes only those that change the chat. */
  function record(events: readonly ConversationEvent[]) {
    let whole = emptyConversation('c');
    const lines: string[] = [];
    for (const [index, event] of events.entries()) {
      const { turns } = whole;
      const id = turns[index % Math.max(1, turns.length)]?.id ?? '';
      const actual =
        event.type === 'turn-start'
          ? { ...event, id: `t${index}` }
          : event.type === 'turn-remove'
            ? { ...event, id }
            : event.type === 'version-select'
              ? { ...event, turn: whole.others?.[0]?.order[0] ?? '' }
              : event;
      const next = reduce(whole, actual);
      if (next !== whole) lines.push(writeEvent(actual, lines.length + 1));
      whole = next;
    }
    return { whole, lines };
  }

  /** The same events with unique turn ids. */
  function withUniqueIds(events: readonly ConversationEvent[]): ConversationEvent[] {
    let started = 0;
    return events.map((event) =>
      event.type === 'turn-start' ? { ...event, id: `t${started++}` } : event,
    );
  }

  it('gives the same turns as the whole conversation', () => {
    fc.assert(
      fc.property(fc.array(anyEvent), fc.array(anyEvent), fc.nat(5), fc.nat(5), (...generated) => {
        const [early, late, front, back] = generated;
        const events = withUniqueIds([...early, ...late]);
        const first = events.slice(0, early.length);
        const then = events.slice(early.length);
        const whole = first.reduce(reduce, emptyConversation('c'));
        const before = Math.min(front, whole.turns.length);
        const after = Math.min(back, whole.turns.length - before);
        const turns = whole.turns.slice(before, whole.turns.length - after);
        const visible = { ...withoutOthers(whole), turns };
        const window = play({ conversation: visible, before, after }, ...then);
        if (window === undefined) return;
        const all = then.reduce(reduce, whole);
        const last = all.turns.length - window.after;
        assert.deepEqual(window.conversation, {
          ...withoutOthers(all),
          turns: all.turns.slice(window.before, last),
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('reads the newest turns from the last lines of a journal', () => {
    const many = fc.array(anyEvent, { minLength: 20, maxLength: 80, size: 'max' });
    fc.assert(
      fc.property(many, fc.nat(30), (events, cut) => {
        const { whole, lines } = record(events);
        const newest = readNewestTurns('c', lines.slice(cut).join(''));
        if (newest === undefined) return;
        const { conversation } = newest;
        const count = conversation.turns.length;
        assert.deepEqual(conversation.turns, count === 0 ? [] : whole.turns.slice(-count));
        assert.deepEqual(conversation.running, whole.running);
      }),
      { numRuns: 1000 },
    );
  });

  it('needs the whole journal if lines at its end are out of order', () => {
    const lines = [writeEvent(start('a'), 8), writeEvent(end, 9), writeEvent(start('b'), 10)];
    assert.equal(readNewestTurns('c', lines.join(''))?.conversation.running?.id, 'b');
    assert.equal(readNewestTurns('c', [...lines, writeEvent(end, 9)].join('')), undefined);
    assert.equal(readNewestTurns('c', [...lines, ...lines].join('')), undefined);
  });

  it('gives the same conversation as Replay for any events', () => {
    const many = fc.array(anyEvent, { minLength: 100, maxLength: 600, size: 'max' });
    fc.assert(
      fc.property(many, (events) => {
        const all = [...withUniqueIds(events), ...events];
        const replay = new Replay('c');
        for (const event of all) replay.apply(event);
        assert.deepEqual(replay.conversation, all.reduce(reduce, emptyConversation('c')));
      }),
      { numRuns: 100 },
    );
  });
});
