import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTaintedChat } from '../../../../src/core/approval/taint.ts';
import {
  comparedTurns,
  conversationOf,
  defaultChoice,
  runningTurns,
} from '../../../../src/core/conversation/comparison.ts';
import {
  emptyConversation,
  turnText,
  type Conversation,
} from '../../../../src/core/conversation/conversation.ts';
import { pushEvent, type ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { writeEvent } from '../../../../src/core/conversation/record.ts';
import {
  endInterrupted,
  interruptedEnds,
  reduce,
} from '../../../../src/core/conversation/reduce.ts';
import { addUsage, zeroUsage } from '../../../../src/core/conversation/usage.ts';
import {
  reduceWindow,
  windowAround,
  type ConversationWindow,
} from '../../../../src/core/conversation/window.ts';
import { forkEvents } from '../../../../src/core/history/chatImport.ts';
import { runs } from '../../../support/sample.ts';
import { plain, UsedChat } from './usedChat.ts';

interface Step {
  readonly act: 'send' | 'retry' | 'edit' | 'compare' | 'again' | 'choose' | 'select' | 'stop';
  readonly at: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(
    ...([
      'send',
      'retry',
      'edit',
      'compare',
      'compare',
      'again',
      'choose',
      'select',
      'stop',
    ] as const),
  ),
  at: fc.nat(30),
});

const manySteps = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' });

const endings = ['finished', 'stopped', 'failed', 'open'] as const;

/** Ends all running turns, as opening the chat does. */
function settle(chat: UsedChat): void {
  chat.play(...interruptedEnds(chat.conversation));
}

function playStep(chat: UsedChat, { act, at }: Step): void {
  settle(chat);
  const { turns } = chat.conversation;
  const turn = turns[at % Math.max(1, turns.length)];
  const column = chat.columns[at % Math.max(1, chat.columns.length)];
  if (act === 'compare') {
    const wanted = [at, at + 1, at >> 2].map((index) => endings[index % endings.length] ?? 'open');
    chat.compare(`Why ${at % 3}?`, 2 + (at % 2), wanted);
  } else if (act === 'again' && column !== undefined) chat.retryCompared(column);
  else if (act === 'choose' && column !== undefined) chat.select(column);
  else if (act === 'retry' && turn !== undefined) chat.resend(turn.id);
  else if (act === 'edit' && turn !== undefined) chat.resend(turn.id, `How ${at % 3}?`);
  else if (act === 'select' && turn !== undefined) {
    const next = chat.versions(turn.id)?.reply?.next ?? chat.versions(turn.id)?.message?.previous;
    if (next !== undefined) chat.select(next);
  } else if (act === 'stop') {
    chat.send('Stop?', { ends: false });
    chat.end('stopped');
  } else chat.send(`Why ${at % 3}?`);
}

function playSteps(steps: readonly Step[]): UsedChat {
  const chat = new UsedChat();
  for (const step of steps) playStep(chat, step);
  return chat;
}

function idsOf(turns: readonly { readonly id: string }[]): string[] {
  return turns.map(({ id }) => id);
}

describe('a comparison', () => {
  it('keeps every turn exactly once, after the turn that it followed', () => {
    fc.assert(
      fc.property(manySteps, (steps) => {
        const chat = playSteps(steps);
        const { conversation, parents } = chat;
        assert.deepEqual(idsOf(turnsOfAllPaths(conversation)).toSorted(), chat.sent.toSorted());
        const { turns, running, others = [], compared = [] } = conversation;
        const path = idsOf([...turns, ...(running === undefined ? [] : [running])]);
        for (const [index, id] of path.entries())
          assert.equal(parents.get(id), path[index - 1] ?? '');
        for (const { id } of compared) assert.equal(parents.get(id), path.at(-2) ?? '');
        for (const { after, paths } of others)
          for (const other of paths)
            for (const [index, { id }] of other.entries())
              assert.equal(parents.get(id), other[index - 1]?.id ?? after);
      }),
      { numRuns: runs(500) },
    );
  });

  it('counts the usage of all replies', () => {
    fc.assert(
      fc.property(manySteps, (steps) => {
        const chat = playSteps(steps);
        settle(chat);
        const sum = turnsOfAllPaths(chat.conversation).reduce(
          (total, turn) => addUsage(total, turn.usage ?? zeroUsage),
          zeroUsage,
        );
        assert.deepEqual(chat.conversation.usage['m'], sum);
        assert.equal(sum.requests, chat.sent.length);
      }),
      { numRuns: runs(300) },
    );
  });

  it('gives the same chat when it is read back, wherever the writer was killed', () => {
    fc.assert(
      fc.property(manySteps, fc.nat(), (steps, cut) => {
        const chat = playSteps(steps);
        const journal = readJournal('c', chat.lines.join(''));
        assert.deepEqual(plain(journal.conversation), plain(chat.conversation));
        const length = cut % chat.events.length;
        const early = chat.events.slice(0, length).reduce(reduce, emptyConversation('c'));
        const read = readJournal('c', chat.lines.slice(0, length).join(''));
        assert.deepEqual(plain(read.conversation), plain(early));
        assert.equal(journal.damaged + read.damaged, 0);
      }),
      { numRuns: runs(300) },
    );
  });

  it('gives the same chat if queued texts of several replies are merged', () => {
    fc.assert(
      fc.property(manySteps, (steps) => {
        const chat = playSteps(steps);
        const joined: ConversationEvent[] = [];
        for (const event of chat.events) pushEvent(joined, event);
        const joinedChat = joined.reduce(reduce, emptyConversation('c'));
        assert.deepEqual(plain(joinedChat), plain(chat.conversation));
      }),
      { numRuns: runs(200) },
    );
  });

  it('merges the deltas of each reply, even if they alternate with others', () => {
    const joined: ConversationEvent[] = [];
    for (let round = 0; round < 50; round++) {
      pushEvent(joined, { type: 'text-delta', text: 'a', at: round });
      for (const turn of ['b', 'c']) {
        const event = { type: 'text-delta', text: turn, at: round } as const;
        pushEvent(joined, { type: 'compared-turn-event', turn, event });
      }
    }
    assert.equal(joined.length, 3);
  });

  it('is tracked by a window that has the compared turns and no other path', () => {
    fc.assert(
      fc.property(manySteps, (steps) => {
        const chat = playSteps(steps);
        let whole: Conversation = emptyConversation('c');
        let window: ConversationWindow = windowAround(whole);
        for (const event of chat.events) {
          whole = reduce(whole, event);
          window = reduceWindow(window, event) ?? windowAround(whole);
          const end = whole.turns.length - window.after;
          assert.deepEqual(window.conversation.turns, whole.turns.slice(window.before, end));
          assert.deepEqual(window.conversation.running, whole.running);
          assert.deepEqual(window.conversation.compared, whole.compared);
          assert.ok(!('others' in window.conversation));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('ends with only the chosen reply on the path, and the others as its versions', () => {
    fc.assert(
      fc.property(manySteps, fc.nat(2), fc.nat(2), (steps, more, at) => {
        const chat = playSteps(steps);
        settle(chat);
        const before = chat.columns.length > 0 ? chat.path.slice(0, -1) : chat.path;
        if (chat.columns.length > 0) chat.select(chat.columns[0] ?? '');
        const columns = chat.compare('Who?', 2 + (more % 2));
        const chosen = columns[at % columns.length] ?? '';
        const past = chat.path.slice(0, -1);
        assert.deepEqual(past.slice(0, before.length), before);
        chat.select(chosen);
        assert.equal(chat.conversation.compared, undefined);
        assert.deepEqual(chat.path, [...past, chosen]);
        const version = chat.versions(chosen)?.reply;
        const siblings = chat.sent.filter(
          (id) => chat.parents.get(id) === chat.parents.get(chosen) && textOf(chat, id) === 'Who?',
        );
        assert.deepEqual(
          [version?.number, version?.count],
          [siblings.indexOf(chosen) + 1, siblings.length],
        );
      }),
      { numRuns: runs(300) },
    );
  });

  it('gives each running turn the path before it, without the other replies', () => {
    const chat = new UsedChat();
    const first = chat.send('Why?');
    const ids = chat.compare('How?', 3, ['finished', 'open', 'open']);
    assert.deepEqual(idsOf(runningTurns(chat.conversation)), ids.slice(1));
    for (const id of ids.slice(1)) {
      const { turns, running, compared } = conversationOf(chat.conversation, id);
      assert.deepEqual([idsOf(turns), running?.id, compared], [[first], id, undefined]);
    }
    assert.equal(conversationOf(chat.conversation, ids[0] ?? '').running, undefined);
  });

  it('continues with the first reply that finished, unless one is chosen', () => {
    const choiceOf = (...outcomes: ('finished' | 'stopped' | 'failed')[]): number => {
      const chat = new UsedChat();
      const ids = chat.compare('How?', outcomes.length, outcomes);
      return ids.indexOf(defaultChoice(comparedTurns(chat.conversation))?.id ?? '');
    };
    assert.equal(choiceOf('finished', 'finished'), 0);
    assert.equal(choiceOf('failed', 'finished', 'finished'), 1);
    assert.equal(choiceOf('stopped', 'failed'), 0);
  });

  it('replaces a reply when its message is sent again, and keeps it as a version', () => {
    for (const at of [0, 1, 2]) {
      const chat = new UsedChat();
      const ids = chat.compare('How?', 3, ['failed', 'failed', 'failed']);
      const again = chat.retryCompared(ids[at] ?? '');
      assert.deepEqual(chat.columns, ids.with(at, again));
      chat.select(again);
      assert.equal(chat.versions(again)?.reply?.count, 4);
    }
  });

  it('ends with all of its turns if the window was closed', () => {
    const chat = new UsedChat();
    chat.compare('How?', 3, ['open', 'finished', 'open']);
    settle(chat);
    const turns = comparedTurns(chat.conversation);
    assert.deepEqual(
      turns.map(({ status }) => status),
      ['cut', 'finished', 'cut'],
    );
    assert.deepEqual(turns.map(turnText), ['So it is.', 'So it is.', 'So it is.']);
    assert.equal(runningTurns(chat.conversation).length, 0);
  });

  it('loses only the reply of a damaged line, and says so', () => {
    const chat = new UsedChat();
    const ids = chat.compare('How?', 3);
    for (const index of chat.lines.keys()) {
      const { conversation, damaged } = readJournal(
        'c',
        chat.lines.with(index, '{"num\n').join(''),
      );
      const columns = comparedTurns(conversation);
      assert.equal(damaged, 1);
      assert.equal(columns.length, ids.length, chat.lines[index]);
      const whole = columns.filter((turn) => turnText(turn) === 'So it is.');
      assert.ok(whole.length >= ids.length - 1, chat.lines[index]);
      assert.ok(
        columns.some(({ lostRecords = 0 }) => lostRecords > 0),
        chat.lines[index],
      );
    }
  });

  it('taints the chat if any of its replies calls an external tool', () => {
    const chat = new UsedChat();
    const [, second = ''] = chat.compare('How?', 2, ['open', 'open']);
    const call = { id: 'x', name: 'foreign', arguments: '{}', round: 1 };
    chat.playIn(second, { type: 'tool-call-start', call });
    chat.playIn(second, { type: 'tool-call-run', id: 'x', at: 2 });
    settle(chat);
    const isTainted = (): boolean => isTaintedChat(chat.conversation, (name) => name !== 'foreign');
    assert.equal(isTainted(), true);
    chat.select(chat.columns[0] ?? '');
    assert.equal(isTainted(), true);
  });

  it('can be forked at any of its replies', () => {
    const chat = new UsedChat();
    chat.send('Why?');
    chat.retryCompared(chat.compare('How?', 3)[1] ?? '');
    const texts = chat.columns.map((id) => {
      const events = forkEvents(chat.conversation, 'Fork', id) ?? [];
      const fork = events.reduce(reduce, emptyConversation('f'));
      assert.equal(fork.compared, undefined);
      return fork.turns.slice(1).map(turnText);
    });
    assert.deepEqual(texts, [['So it is.'], ['Again.'], ['So it is.']]);
  });

  it("is skipped by a version that doesn't support it, which continues with the first reply", () => {
    fc.assert(
      fc.property(manySteps, (steps) => {
        const chat = playSteps(steps);
        settle(chat);
        const known = chat.events.filter(({ type }) => !type.startsWith('compared-'));
        const lines = known.map((event, index) => writeEvent(event, index + 1));
        const { conversation, damaged } = readJournal('c', lines.join(''));
        assert.equal(damaged, 0);
        assert.equal(conversation.running, undefined);
        const first = chat.sent.filter((id) =>
          turnsOfAllPaths(conversation).some((turn) => turn.id === id),
        );
        assert.ok(first.length > 0);
      }),
      { numRuns: runs(200) },
    );
  });

  it('becomes versions of a turn in formats without comparisons, such as files', () => {
    const chat = new UsedChat();
    const ids = chat.compare('How?', 3, ['finished', 'open', 'finished']);
    const { turns, others, running, compared } = endInterrupted(chat.conversation);
    assert.deepEqual([idsOf(turns), running, compared], [ids.slice(0, 1), undefined, undefined]);
    assert.deepEqual(
      others?.flatMap(({ order }) => order),
      ids,
    );
  });
});

function textOf(chat: UsedChat, id: string): string | undefined {
  return turnsOfAllPaths(chat.conversation).find((turn) => turn.id === id)?.question.text;
}
