import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { turnText, type Conversation } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { JournalReader, readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import { runs } from '../../../support/sample.ts';
import { turnStart } from '../../../support/turns.ts';

const fixtures = new URL('../../../fixtures/journals/', import.meta.url);

function fixture(name: string): string {
  return readFileSync(new URL(name, fixtures), 'utf8');
}

const first = writeHeader({ conversation: 'c', workspace: '', at: 0 });

/** Events of a turn. Each record contains a unique word, which shows where it was read. */
function turnEvents(turn: number): ConversationEvent[] {
  const at = turn * 100;
  const name = (letter: string): string => `word-${turn}-${letter}.`;
  const question = { text: name('question'), attachments: [] };
  const call = { id: `call-${turn}`, name: 'look', arguments: '{}', round: 1 };
  return [
    turnStart({ id: `turn-${turn}`, question, at }),
    { type: 'text-delta', text: name('a'), at },
    { type: 'text-delta', text: name('b'), at },
    { type: 'tool-call-start', call },
    { type: 'tool-call-result', id: call.id, outcome: 'done', result: name('result'), at },
    { type: 'text-delta', text: name('c'), at },
    { type: 'turn-end', status: 'finished', at },
  ];
}

function wholeJournal(turns: number): string {
  const events = Array.from({ length: turns }, (_, turn) => turnEvents(turn)).flat();
  const by = { writer: 'w' };
  return first + events.map((event, index) => writeEvent(event, index + 1, by)).join('');
}

function turnsOf({ turns, running }: Conversation): Conversation['turns'] {
  return running === undefined ? turns : [...turns, running];
}

/** The unique words in a text. Each contains the number of its turn. */
function uniqueWords(text: string): string[] {
  return text.match(/word-\d+-[a-z]+\./g) ?? [];
}

/** Asserts that each word of an undamaged line is read once, in its own turn. */
function assertNothingElseLost(damaged: string, journal: string): void {
  const { conversation } = readJournal('c', damaged);
  const whole = journal.split('\n').filter((line) => damaged.includes(line));
  const turnWords = turnsOf(conversation).map((turn) => uniqueWords(JSON.stringify(turn)));
  const all = turnWords.flat();
  for (const word of uniqueWords(whole.join('\n'))) {
    assert.equal(all.filter((other) => other === word).length, 1, `${word} in ${all.join(' ')}`);
  }
  for (const turn of turnWords) {
    assert.ok(new Set(turn.map((word) => word.split('-')[1])).size <= 1, turn.join(' '));
  }
  const isMarked = turnsOf(conversation).some(({ lostRecords }) => lostRecords !== undefined);
  const isLost = journal.split('\n').some((line, index) => index > 0 && !damaged.includes(line));
  assert.equal(isMarked, isLost && turnWords.length > 0, damaged);
}

describe('a journal of the first version', () => {
  it('gives the same conversation as in that version, and the reply that a retry replaced', () => {
    const { conversation, damaged, records, lines } = readJournal('x', fixture('version1.jsonl'));
    const stored: unknown = JSON.parse(JSON.stringify({ ...conversation, id: 'fixture' }));
    assert.deepEqual(stored, JSON.parse(fixture('version1.json')));
    assert.deepEqual([damaged, records, lines], [0, 33, { '': 33 }]);
  });

  it('can be continued with lines that the first version can read', () => {
    const old = fixture('version1.jsonl');
    const { records } = readJournal('x', old);
    const after = { lines: { '': records }, damaged: 0 };
    const end: ConversationEvent = { type: 'turn-end', status: 'stopped', at: 6000 };
    const more = writeEvent(end, records + 1, { writer: 'w', after });
    const { conversation, lines } = readJournal('x', old + more);
    assert.deepEqual(lines, { w: records + 1 });
    assert.equal(conversation.turns.at(-1)?.status, 'stopped');
    // The first version ignores unknown fields, and writes lines without a writer.
    const unnamed = writeEvent(end, records + 1);
    assert.deepEqual(readJournal('x', old + unnamed).conversation, conversation);
    const later = turnEvents(9).map((event, index) => writeEvent(event, records + 2 + index));
    const { turns } = readJournal('x', old + more + later.join('')).conversation;
    assert.equal(turns.length, conversation.turns.length + 1);
  });

  it('ignores events of a later version', () => {
    const later = '{"number":34,"writer":"w","event":{"type":"hologram-shown","at":7}}\n';
    const { damaged, records, conversation } = readJournal('x', fixture('version1.jsonl') + later);
    assert.deepEqual([damaged, records], [0, 34]);
    assert.equal(conversation.running?.lostRecords, undefined);
  });
});

describe('a damaged journal', () => {
  const journal = wholeJournal(5);

  it('loses only the damaged record if a byte is flipped', () => {
    const offset = fc.nat({ max: journal.length - 1 });
    fc.assert(
      fc.property(offset, fc.integer({ min: 0, max: 6 }), (at, bit) => {
        const flipped = String.fromCharCode(journal.charCodeAt(at) ^ (1 << bit));
        const damaged = journal.slice(0, at) + flipped + journal.slice(at + 1);
        // A changed number or name may be valid, so that no damage is detected.
        const isVisible = readJournal('c', damaged).damaged > 0;
        if (isVisible) assertNothingElseLost(damaged, journal);
      }),
      { numRuns: runs(600) },
    );
  });

  it('loses only the damaged records if bytes are missing', () => {
    const offset = fc.nat({ max: journal.length - 1 });
    fc.assert(
      fc.property(offset, fc.integer({ min: 1, max: 300 }), (at, length) => {
        const damaged = journal.slice(0, at) + journal.slice(at + length);
        const { damaged: count } = readJournal('c', damaged);
        if (count > 0) assertNothingElseLost(damaged, journal);
      }),
      { numRuns: runs(600) },
    );
  });

  it('reports missing lines and line breaks', () => {
    const lines = journal.split('\n');
    for (let first = 2; first < lines.length - 3; first++) {
      const cut = [...lines.slice(0, first), ...lines.slice(first + 2)];
      const damaged = cut.with(first - 1, `${cut[first - 1] ?? ''}${cut[first] ?? ''}`);
      assertNothingElseLost(damaged.toSpliced(first, 1).join('\n'), journal);
    }
  });

  it('reports a line that is missing or blank', () => {
    const whole = wholeJournal(3).split(/(?<=\n)/);
    for (let gone = 2; gone < whole.length - 1; gone++)
      for (const blank of ['', '\n', '   \n', '\t\r\n', '\0\0\0\n'])
        assertNothingElseLost(whole.with(gone, blank).join(''), whole.join(''));
  });

  it('shows the reply to a lost message, with the remains of the message', () => {
    for (let turn = 0; turn < 5; turn++) {
      const lines = journal.split('\n');
      const start = lines[turn * 7 + 1] ?? '';
      const noise = lines.with(turn * 7 + 1, 'noise').join('\n');
      const lost = readJournal('c', noise, 'lost').conversation.turns[turn];
      assert.deepEqual([lost?.question.text, lost?.lostRecords], ['lost', 1]);
      assert.match(lost === undefined ? '' : turnText(lost), /a\..*b\..*c\./);
      const cut = lines.with(turn * 7 + 1, start.slice(0, -2)).join('\n');
      const salvaged = readJournal('c', cut, 'lost').conversation.turns[turn];
      assert.equal(salvaged?.id, `turn-${turn}`);
      assert.equal(salvaged.question.text, `word-${turn}-question.`);
    }
  });

  it('shows the turns that it has, if its beginning is gone', () => {
    const lines = journal.split('\n');
    const all = readJournal('c', journal).conversation.turns;
    for (let first = 1; first < 14; first++) {
      const { conversation } = readJournal('c', lines.slice(first).join('\n'), 'lost');
      // A turn has seven lines, after the header.
      const whole = all.slice(Math.ceil((first - 1) / 7));
      assert.deepEqual(conversation.turns.slice(-whole.length), whole);
      const isCut = (first - 1) % 7 !== 0;
      assert.equal(conversation.turns.length, whole.length + Number(isCut), `from line ${first}`);
      if (isCut) assert.equal(conversation.turns[0]?.lostRecords, 1);
    }
  });

  it('is read the same line by line', () => {
    const damaged = journal.replace('"turn-3"', '"turn-3');
    const reader = new JournalReader('c');
    for (const line of damaged.split(/(?<=\n)/)) reader.read(line);
    const whole = readJournal('c', damaged);
    assert.deepEqual(reader.content, whole);
    assert.equal(whole.damaged, 1);
  });
});
