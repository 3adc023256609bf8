import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTaintedChat } from '../../../../src/core/approval/grants.ts';
import {
  turnText,
  type Conversation,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { addUsage, zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { versionsOf } from '../../../../src/core/conversation/versions.ts';
import {
  adjacentTurns,
  reduceWindow,
  windowAround,
  type ConversationWindow,
} from '../../../../src/core/conversation/window.ts';
import { runs } from '../../../support/sample.ts';
import { UsedChat } from './usedChat.ts';
import { turnStart, userMessage } from '../../../support/turns.ts';

interface Step {
  readonly act: 'send' | 'retry' | 'edit' | 'select' | 'stop' | 'continue' | 'fail';
  readonly at: number;
  readonly word: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('send', 'retry', 'edit', 'select', 'select', 'stop', 'continue', 'fail'),
  at: fc.nat(),
  word: fc.nat(2),
});

function playStep(chat: UsedChat, { act, at, word }: Step): void {
  const { turns } = chat.conversation;
  const turn = turns[at % Math.max(1, turns.length)];
  if (act === 'send' || turn === undefined) chat.send(`Why ${word}?`);
  else if (act === 'retry') chat.resend(turn.id);
  else if (act === 'fail') chat.resendAndFail(turn.id);
  else if (act === 'edit') chat.resend(turn.id, `Why ${word}?`);
  else if (act === 'stop') {
    chat.send(`Why ${word}?`, { ends: false });
    chat.end('stopped');
  } else if (act === 'continue') {
    chat.play({ type: 'turn-continue', at: 4 });
    chat.end('stopped');
  } else {
    const places = versionsOf(chat.conversation, [turn])[turn.id];
    const ids = [places?.message, places?.reply].flatMap((version) => [
      version?.previous,
      version?.next,
    ]);
    const wanted = ids.filter((id) => id !== undefined);
    const chosen = wanted[word % Math.max(1, wanted.length)];
    if (chosen !== undefined) chat.select(chosen);
  }
}

function playSteps(steps: readonly Step[]): UsedChat {
  const chat = new UsedChat();
  for (const step of steps) playStep(chat, step);
  return chat;
}

const manySteps = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });

/** Checks a law of chats in which messages were sent again, edited and chosen. */
function assertLaw(law: (chat: UsedChat, at: number) => void): void {
  const property = fc.property(manySteps, fc.nat(), (steps, at) => law(playSteps(steps), at));
  fc.assert(property, { numRuns: runs(400) });
}

describe('the versions of a conversation', () => {
  it('contain every turn exactly once, after the turn that it followed', () => {
    assertLaw(({ conversation, parents, path, sent }) => {
      const ids = turnsOfAllPaths(conversation).map(({ id }) => id);
      assert.deepEqual(ids.toSorted(), sent.toSorted());
      for (const [index, id] of path.entries())
        assert.equal(parents.get(id), path[index - 1] ?? '');
      for (const { after, paths } of conversation.others ?? []) {
        for (const other of paths)
          for (const [index, { id }] of other.entries())
            assert.equal(parents.get(id), other[index - 1]?.id ?? after);
      }
    });
  });

  it('all count toward the usage of the chat', () => {
    assertLaw(({ conversation }) => {
      const turns = turnsOfAllPaths(conversation);
      const sum = turns.reduce(
        (total, turn) => addUsage(total, turn.usage ?? zeroUsage),
        zeroUsage,
      );
      assert.deepEqual(conversation.usage['m'], sum);
    });
  });

  it('can all be reached by Previous and Next Version, in the order in which they were sent', () => {
    assertLaw((chat, at) => {
      const id = chat.path[at % chat.path.length] ?? '';
      const siblings = chat.sent.filter(
        (candidate) => chat.parents.get(candidate) === chat.parents.get(id),
      );
      const all = turnsOfAllPaths(chat.conversation);
      const textOf = new Map(all.map((turn) => [turn.id, turn.question.text]));
      const withoutReply = new Set(
        all.flatMap((turn) => (turn.parts.length === 0 ? [turn.id] : [])),
      );
      /** Replies that are counted while the chosen one is visible. */
      const repliesBeside = (chosen: string): readonly string[] =>
        siblings.filter(
          (sibling) =>
            textOf.get(sibling) === textOf.get(chosen) &&
            (sibling === chosen || !withoutReply.has(sibling)),
        );
      const sameMessage = repliesBeside(id);
      const versions = chat.versions(id);
      assert.equal(versions?.reply?.count ?? 1, sameMessage.length);
      assert.equal(versions?.reply?.number ?? 1, sameMessage.indexOf(id) + 1);
      const messages = [...new Set(siblings.map((sibling) => textOf.get(sibling)))];
      assert.equal(versions?.message?.count ?? 1, messages.length);
      assert.equal(versions?.message?.number ?? 1, messages.indexOf(textOf.get(id)) + 1);
      for (const kind of ['message', 'reply'] as const) {
        const depth = chat.path.indexOf(id);
        const chosen = (): string => chat.path[depth] ?? '';
        for (const side of ['previous', 'next'] as const) {
          let version = chat.versions(chosen())?.[kind];
          for (let next = version?.[side]; next !== undefined; next = version?.[side]) {
            chat.select(next);
            const now = chat.versions(chosen())?.[kind];
            if (kind === 'message') {
              assert.equal(now?.number, (version?.number ?? 0) + (side === 'next' ? 1 : -1));
              assert.equal(now.count, version?.count);
            } else {
              const replies = repliesBeside(chosen());
              assert.equal(now?.number ?? 1, replies.indexOf(chosen()) + 1);
              assert.equal(now?.count ?? 1, replies.length);
            }
            version = now;
          }
          assert.equal(version?.number ?? 1, side === 'next' ? (version?.count ?? 1) : 1);
        }
      }
    });
  });

  it("don't include empty failed attempts, unless one is the newest and visible", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 6 }), fc.boolean(), (attempts, isFirst) => {
        const chat = new UsedChat();
        const first = chat.send('Why?', { reply: isFirst ? 'Yes.' : '', ends: isFirst });
        if (!isFirst) chat.end('failed');
        let chosen = first;
        for (const isReply of attempts)
          chosen = isReply ? chat.resend(chosen) : chat.resendAndFail(chosen);
        assert.deepEqual(chat.path, [chosen], 'the newest attempt is shown');
        const ended = [isFirst, ...attempts];
        const count = ended.filter(Boolean).length + (ended.at(-1) === true ? 0 : 1);
        assert.equal(chat.versions(chosen)?.reply?.count ?? 1, count);
        assert.equal(chat.versions(chosen)?.reply?.number ?? 1, count);
        assert.equal(turnsOfAllPaths(chat.conversation).length, ended.length, 'nothing is lost');
      }),
    );
  });

  it('include attempts that failed after the start of a reply', () => {
    const chat = new UsedChat();
    const first = chat.resendAndFail(chat.send('Why?'), 'Be');
    assert.equal(chat.versions(chat.resend(first))?.reply?.count, 3);
  });

  it('lead back to the rest of their path', () => {
    assertLaw((chat, at) => {
      const before = chat.path;
      const id = before[at % before.length] ?? '';
      const other = chat.versions(id)?.reply?.previous ?? chat.versions(id)?.message?.next;
      if (other === undefined) return;
      chat.select(other);
      assert.equal(chat.path[before.indexOf(id)], other);
      chat.select(id);
      assert.deepEqual(chat.path, before);
    });
  });

  it('lead to the last visible reply of a message', () => {
    const chat = new UsedChat();
    const first = chat.send('Why?');
    chat.resend(first);
    chat.select(first);
    const edited = chat.resend(first, 'How?');
    assert.deepEqual(chat.versions(edited), { message: { number: 2, count: 2, previous: first } });
  });

  it('distinguish messages by text and attachments', () => {
    const file = { id: 'a', name: 'a', path: 'a', language: 'text', text: 'x' };
    const chat = new UsedChat();
    const questions = [
      { text: 'Why?', attachments: [] },
      { text: 'Why?', attachments: [file] },
      { text: 'Why?', attachments: [{ ...file }] },
      { text: 'Why?', attachments: [{ ...file, text: 'y' }] },
      { text: 'Why?', attachments: [file, file] },
    ];
    for (const [index, question] of questions.entries()) {
      const id = `q${index}`;
      chat.play(turnStart({ id, question }));
      chat.end('finished');
      if (index < questions.length - 1) chat.play({ type: 'turn-remove', id });
    }
    assert.deepEqual(chat.versions('q4')?.message, { number: 4, count: 4, previous: 'q3' });
    chat.select('q2');
    assert.deepEqual(chat.versions('q2')?.reply, { number: 2, count: 2, previous: 'q1' });
  });

  it('are tracked by a window that contains no other path', () => {
    fc.assert(
      fc.property(manySteps, (steps) => {
        const chat = new UsedChat();
        let window: ConversationWindow = windowAround(chat.conversation);
        for (const step of steps) {
          const { length } = chat.events;
          const replay = chat.conversation;
          playStep(chat, step);
          let whole = replay;
          for (const event of chat.events.slice(length)) {
            whole = reduce(whole, event);
            window = reduceWindow(window, event) ?? windowAround(whole);
            const end = whole.turns.length - window.after;
            assert.deepEqual(window.conversation.turns, whole.turns.slice(window.before, end));
            assert.deepEqual(window.conversation.running, whole.running);
            assert.ok(!('others' in window.conversation));
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('are the same if only some turns of the path are requested', () => {
    assertLaw(({ conversation }, at) => {
      const { turns } = conversation;
      const all = versionsOf(conversation, turns);
      const index = at % turns.length;
      const id = turns[index]?.id ?? '';
      assert.deepEqual(versionsOf(conversation, turns.slice(index, index + 1)), pick(all, [id]));
      const more = adjacentTurns(conversation, 'after', id)?.turns ?? [];
      assert.deepEqual(
        versionsOf(conversation, more),
        pick(
          all,
          more.map((turn) => turn.id),
        ),
      );
    });
  });

  it('lose only the content of a lost record', () => {
    fc.assert(
      fc.property(manySteps, fc.nat(), (steps, at) => {
        const chat = playSteps([...steps, { act: 'send', at: 0, word: 0 }]);
        const pathChanges = chat.events.flatMap(({ type }, index) =>
          type === 'turn-remove' || type === 'version-select' ? [index] : [],
        );
        const lost = pathChanges[at % Math.max(1, pathChanges.length)];
        if (lost === undefined) return;
        const lines = chat.lines.with(lost, 'damaged\n');
        const { conversation } = readJournal('c', lines.join(''));
        const ids = conversation.turns.map(({ id }) => id);
        assert.deepEqual(ids, chat.path);
        assert.equal(turnsOfAllPaths(conversation).length, chat.sent.length);
      }),
      { numRuns: runs(300) },
    );
  });
});

function pick<T>(all: Readonly<Record<string, T>>, ids: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([id]) => ids.includes(id)));
}

describe('a journal from before there were versions', () => {
  /** A journal of an earlier version, in which a turn does not name the one that it follows. */
  const oldJournal = (...events: readonly unknown[]): string =>
    events.map((event, index) => `${JSON.stringify({ number: index + 1, event })}\n`).join('');
  const start = (id: string, text: string) => turnStart({ id, question: userMessage(text) });
  const turn = (id: string, text: string): readonly unknown[] => [
    start(id, text),
    { type: 'text-delta', text: `To ${id}.`, at: 2 },
    { type: 'turn-end', status: 'finished', at: 3 },
  ];
  const remove = (id: string) => ({ type: 'turn-remove', id });
  const read = (...events: readonly unknown[]): Conversation => {
    const { conversation, damaged } = readJournal('c', oldJournal(...events));
    assert.equal(damaged, 0);
    return conversation;
  };
  const ids = (turns: readonly Turn[]): string[] => turns.map(({ id }) => id);

  it('restores the replies that a retry replaced', () => {
    const retried = read(
      ...turn('a', 'Why?'),
      ...turn('b', 'How?'),
      remove('b'),
      ...turn('b2', 'How?'),
      remove('b2'),
      ...turn('b3', 'How?'),
    );
    assert.deepEqual(ids(retried.turns), ['a', 'b3']);
    assert.deepEqual(versionsOf(retried, retried.turns), {
      b3: { reply: { number: 3, count: 3, previous: 'b2' } },
    });
    const back = reduce(retried, { type: 'version-select', turn: 'b2' });
    assert.deepEqual(back.turns.map(turnText), ['To a.', 'To b2.']);
  });

  it('restores the messages after an edited one', () => {
    const edited = read(
      ...turn('a', 'Why?'),
      ...turn('b', 'How?'),
      ...turn('c', 'When?'),
      remove('a'),
      ...turn('a2', 'Who?'),
    );
    assert.deepEqual(versionsOf(edited, edited.turns), {
      a2: { message: { number: 2, count: 2, previous: 'a' } },
    });
    const back = reduce(edited, { type: 'version-select', turn: 'a' });
    assert.deepEqual(ids(back.turns), ['a', 'b', 'c']);
  });

  it('omits a message that was removed before its reply', () => {
    const { turns, others, running } = read(...turn('a', 'Why?'), start('b', 'How?'), remove('b'));
    assert.deepEqual([ids(turns), others, running], [['a'], undefined, undefined]);
  });
});

describe('a turn outside the chosen path', () => {
  it('keeps the state of its files', () => {
    const chat = new UsedChat();
    const first = chat.send('Why?');
    chat.resend(first);
    chat.play({ type: 'files-change', turn: first, changes: [] });
    chat.select(first);
    assert.deepEqual(chat.conversation.turns[0]?.changes, []);
  });

  it('still taints the chat if it can be chosen again', () => {
    const chat = new UsedChat();
    const first = chat.send('Why?', { ends: false });
    const call = { id: 'x', name: 'foreign', arguments: '{}', round: 1 };
    chat.play(
      { type: 'tool-call-start', call },
      { type: 'tool-call-run', id: 'x', at: 2 },
      { type: 'tool-call-result', id: 'x', outcome: 'done', result: '', at: 2 },
    );
    chat.end('finished');
    chat.resend(first);
    assert.equal(
      isTaintedChat(chat.conversation, () => false),
      true,
    );
  });

  it('is removed if its message was moved into another chat', () => {
    const chat = new UsedChat();
    chat.send('Why?');
    const moved = chat.send('How?');
    chat.play({ type: 'turn-remove', id: moved, moved: true });
    assert.deepEqual(chat.path, ['t0']);
    assert.deepEqual(chat.conversation.others, undefined);
    const { conversation } = readJournal('c', chat.lines.join(''));
    assert.deepEqual(conversation.others, undefined);
  });
});
