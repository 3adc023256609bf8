import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  emptyConversation,
  turnText,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { readEvent, writeEvent } from '../../../../src/core/conversation/record.ts';
import {
  endInterrupted,
  interruptedEnds,
  reduce,
} from '../../../../src/core/conversation/reduce.ts';
import { versionsOf } from '../../../../src/core/conversation/versions.ts';
import { reduceWindow, windowAround } from '../../../../src/core/conversation/window.ts';
import { chatFileOf } from '../../../../src/core/history/chatFile.ts';

/** A chat as version 1.0 stored it. Its window closed while three models replied. */
const journal = readFileSync(
  new URL('../../../fixtures/journals/comparisons.jsonl', import.meta.url),
  'utf8',
);
const { conversation: stored, damaged } = readJournal('stored', journal);
const ended = endInterrupted(stored);

/** The versions of a turn's reply, as the person steps through them from the first. */
function repliesOf(turn: Turn): string[] {
  const { others = [], turns } = ended;
  const after = turns[turns.indexOf(turn) - 1]?.id ?? '';
  const group = others.find((candidate) => candidate.after === after);
  const firsts = [turn, ...(group?.paths ?? []).flatMap(([first]) => first ?? [])];
  return (group?.order ?? []).flatMap((id) =>
    firsts.filter((first) => first.id === id).map((first) => `${first.model} ${first.status}`),
  );
}

describe('a stored chat with comparisons of version 1.0', () => {
  it('shows the chosen reply of each, or the first', () => {
    assert.equal(damaged, 0);
    assert.deepEqual(
      ended.turns.map(({ question, model, status }) => [question.text, model, status]),
      [
        ['Hello', 'small', 'finished'],
        ['What is in the picture?', 'middle', 'finished'],
        ['Go on.', 'small', 'finished'],
        ['Who fails?', 'small', 'finished'],
        ['And then?', 'small', 'finished'],
        ['Is it cut?', 'small', 'cut'],
      ],
    );
  });

  it('has every reply as a version, in the order in which they were sent', () => {
    assert.deepEqual(ended.turns.map(repliesOf), [
      [],
      ['small finished', 'middle finished', 'large finished'],
      [],
      ['small finished', 'large failed', 'small finished', 'middle finished'],
      ['small finished', 'small finished', 'large finished'],
      ['small cut', 'middle cut', 'large cut'],
    ]);
    const versions = versionsOf(ended, ended.turns);
    assert.deepEqual(
      ended.turns.map(({ id }) => versions[id]?.reply?.count),
      // An attempt without a reply is no version.
      [undefined, 3, undefined, 3, 3, 3],
    );
  });

  it('keeps every word, and the calls of tools with their results', () => {
    for (const turn of turnsOfAllPaths(ended)) {
      if (turn.status === 'failed') continue;
      assert.ok(turnText(turn).endsWith(`${turn.model}: reply to "${turn.question.text}"`));
    }
    const calls = turnsOfAllPaths(ended).flatMap(({ model, parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool-call' ? [[model, part.name, part.status, part.result]] : [],
      ),
    );
    assert.deepEqual(calls.toSorted(), [
      ['middle', 'look', 'done', 'A cat.'],
      ['small', 'look', 'done', 'A cat.'],
    ]);
  });

  it('counts the usage of all replies, also of those that were interrupted', () => {
    const tokens = Object.entries(ended.usage).map(([model, { total_tokens, requests }]) => [
      model,
      total_tokens,
      requests,
    ]);
    // As version 1.0 counted them.
    assert.deepEqual(tokens, [
      ['small', 380, 9],
      ['middle', 256, 4],
      ['large', 230, 3],
    ]);
  });

  it('ends the interrupted replies with events that are read back', () => {
    const ends = interruptedEnds(stored);
    assert.equal(ends.length, 3);
    const count = journal.trimEnd().split('\n').length - 1;
    const lines = ends.map((event, index) => writeEvent(event, count + index + 1));
    assert.deepEqual(readJournal('stored', journal + lines.join('')).conversation, ended);
  });

  it('is read wherever it ends, with a reply for each turn that was started', () => {
    const lines = journal.trimEnd().split('\n');
    let started = 0;
    for (const [index, line] of lines.entries()) {
      const type = readEvent(line)?.event?.type;
      if (type === 'turn-start' || type === 'compared-turn-start') started += 1;
      const read = readJournal('stored', `${lines.slice(0, index + 1).join('\n')}\n`).conversation;
      assert.equal(turnsOfAllPaths(read).length, started, line);
      // It can be exported, so every reply has ended.
      assert.equal(turnsOfAllPaths(endInterrupted(read)).length, started);
      chatFileOf(read, (text) => text);
    }
  });

  it('has the same shown turns in a window that gets its events one by one', () => {
    let whole = emptyConversation('stored');
    let view = windowAround(whole);
    for (const line of journal.trimEnd().split('\n').slice(1)) {
      const event = readEvent(line)?.event;
      assert.ok(event !== undefined);
      whole = reduce(whole, event);
      view = reduceWindow(view, event) ?? windowAround(whole);
      const { turns, running, others } = view.conversation;
      assert.deepEqual({ turns, running }, { turns: whole.turns, running: whole.running });
      assert.equal(others, undefined);
    }
  });

  it('is read in the same way after many other turns', () => {
    const events = journal
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => readEvent(line)?.event);
    const turns = Array.from({ length: 200 }, (_, index) => [
      { type: 'turn-start', id: `t${index}`, model: 'm', json: false, at: 1 } as const,
      { type: 'turn-end', status: 'finished', at: 2 } as const,
    ]).flat();
    const question = { text: 'Before', attachments: [] };
    const all = [
      ...turns.map((event) => (event.type === 'turn-start' ? { ...event, question } : event)),
      // The first turn no longer begins the chat.
      ...events.map((event, index) =>
        index === 0 && event?.type === 'turn-start' ? { ...event, after: 't199' } : event,
      ),
    ].flatMap((event) => event ?? []);
    const text = all.map((event, index) => writeEvent(event, index + 1)).join('');
    const { conversation } = readJournal('stored', text);
    const read = endInterrupted(conversation);
    assert.deepEqual(read.turns.slice(200), ended.turns);
    assert.deepEqual(read.others, ended.others);
    assert.deepEqual(read.usage, ended.usage);
  });
});
