import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import {
  type Conversation,
  type Turn,
  turnText,
} from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { JournalReader, readJournal } from '../../../../src/core/conversation/journalReader.ts';
import {
  type JournalPosition,
  writeEvent,
  writeHeader,
} from '../../../../src/core/conversation/record.ts';
import { runs } from '../../../support/sample.ts';
import { turnStart } from '../../../support/turns.ts';
import { idOfEnd, turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { interruptedEnds, reduce } from '../../../../src/core/conversation/reduce.ts';

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

describe('a journal with attachments', () => {
  const attachment = { id: 'a', name: 'a.ts', path: 'a.ts', language: 'typescript', text: 'x' };

  it('keeps the kind of each, none from before there were kinds, and a later one as a file', () => {
    for (const [written, read] of [
      [
        { ...attachment, kind: 'symbol' },
        { ...attachment, kind: 'symbol' },
      ],
      [attachment, attachment],
      [
        { ...attachment, kind: 'hologram' },
        { ...attachment, kind: 'file' },
      ],
    ]) {
      const event = { ...turnStart(), question: { text: 'Why?', attachments: [written] } };
      const line = `${JSON.stringify({ number: 1, event })}\n`;
      const { conversation, damaged } = readJournal('c', first + line);
      const [stored] = conversation.running?.question.attachments ?? [];
      assert.deepEqual([damaged, { ...stored }], [0, read]);
    }
  });
});

describe('a journal that was written before there were modes', () => {
  const optionsOf = (options: object): unknown => {
    const first = writeHeader({ conversation: 'c', workspace: '', at: 1 });
    const event = { type: 'options-change', options };
    const journal = `${first}${JSON.stringify({ number: 1, event })}\n`;
    const { conversation, damaged } = readJournal('c', journal);
    assert.equal(damaged, 0);
    return JSON.parse(JSON.stringify(conversation.options));
  };

  it('has the mode without tools if tools were switched off', () => {
    const options = { temperature: 1, withoutTools: true };
    assert.deepEqual(optionsOf(options), { temperature: 1, mode: 'chat' });
  });

  it('has no mode if tools were sent, and keeps a mode that was chosen later', () => {
    assert.deepEqual(optionsOf({ withoutTools: false }), {});
    assert.deepEqual(optionsOf({ withoutTools: true, mode: 'ask' }), { mode: 'ask' });
  });
});

describe('a journal of a later version', () => {
  const start = turnStart();

  function read(...events: readonly unknown[]) {
    const lines = [start, ...events].map((event, index) =>
      JSON.stringify({ number: index + 1, event }),
    );
    const { conversation, damaged } = readJournal('c', lines.join('\n'));
    assert.equal(damaged, 0);
    return conversation.running ?? conversation.turns[0];
  }

  it('keeps an error without its unknown remedy', () => {
    const error = { kind: 'x', message: 'No.', remedy: 'restart-the-sun' };
    const turn = read({ type: 'turn-end', status: 'failed', error, at: 2 });
    assert.equal(turn?.status, 'failed');
    assert.deepEqual([turn.error?.message, turn.error?.remedy], ['No.', undefined]);
  });

  it('keeps an event with the nearest known value', () => {
    const ended = read({ type: 'turn-end', status: 'evaporated', at: 2 });
    assert.equal(ended?.status, 'cut');
    const file = { id: 'f', path: 'a.ts', kind: 'rename', addedLines: 1, removedLines: 0 };
    const changes = [{ ...file, status: 'archived' }];
    const changed = read({ type: 'files-change', turn: 't', changes });
    assert.deepEqual(changed?.changes, [{ ...file, kind: 'edit', status: 'kept' }]);
    const call = { id: 'c', name: 'look', arguments: '{}', outcome: 'postponed' };
    const called = read({ type: 'tool-call-end', call });
    assert.deepEqual(called?.parts, [
      { type: 'tool-call', id: 'c', name: 'look', arguments: '{}', round: 1, status: 'failed' },
    ]);
    const paused = read({ type: 'turn-pause', pause: { reason: 'weekend' } });
    assert.equal(paused?.pause?.reason, 'rounds');
  });
});

type Act = 'start' | 'text' | 'end' | 'resend' | 'select';

/** A window that writes to the journal without reading the lines of other windows. */
class Writer {
  readonly #name: string;
  readonly #journal: { text: string };
  #after: JournalPosition | undefined;
  #number: number;
  #words = 0;
  conversation: Conversation;

  constructor(name: string, journal: { text: string }) {
    const { conversation, records, lines, damaged } = readJournal('c', journal.text);
    this.#name = name;
    this.#journal = journal;
    this.#after = { lines, damaged };
    this.#number = records;
    this.conversation = conversation;
  }

  /** Starts, continues or ends a reply. Each text is a unique word. */
  act(step: Act): void {
    const { running } = this.conversation;
    const [interrupted] = this.#after === undefined ? [] : interruptedEnds(this.conversation);
    if (interrupted !== undefined) this.#write(interrupted);
    const at = 1;
    const word = `${this.#name}-${(this.#words += 1)}.`;
    const starts = step !== 'text' && step !== 'end';
    if (running === undefined || interrupted !== undefined || starts) {
      if (this.conversation.running !== undefined)
        this.#write({ type: 'turn-end', status: 'cut', at });
      if (starts) this.#leave(step);
      if (step !== 'select') this.#start(word);
    } else if (step === 'text') this.#write({ type: 'text-delta', text: word, at });
    else this.#write({ type: 'turn-end', status: 'finished', at });
  }

  /** Leaves the current path: selects another version, or removes a turn for a new one. */
  #leave(step: Act): void {
    const { turns, others = [] } = this.conversation;
    const id = turns[this.#words % Math.max(1, turns.length)]?.id;
    const turn = others[this.#words % Math.max(1, others.length)]?.order[0];
    if (step === 'select' && turn !== undefined) this.#write({ type: 'version-select', turn });
    if (step === 'resend' && id !== undefined) this.#write({ type: 'turn-remove', id });
  }

  #start(word: string): void {
    const question = { text: word, attachments: [] };
    const after = idOfEnd(this.conversation);
    this.#write(turnStart({ id: word, question, after }));
  }

  #write(event: ConversationEvent): void {
    this.#number += 1;
    const by = { writer: this.#name, after: this.#after };
    this.#journal.text += writeEvent(event, this.#number, by);
    this.#after = undefined;
    this.conversation = reduce(this.conversation, event);
  }
}

function wordsOf(turns: readonly Turn[]): readonly string[] {
  return (
    JSON.stringify(turns.map(({ question, parts }) => [question.text, parts])).match(
      /[a-z]\d*-\d+\./g,
    ) ?? []
  );
}

/** An action of one of three windows. A reload makes the window another writer. */
interface Step {
  readonly writer: number;
  readonly act: Act | 'reload';
  /** Fraction of the text that reaches the disk; less than 1 ends the writer. */
  readonly part: number;
  /** True if a torn line gets a line break before the next writer. */
  readonly isEnded: boolean;
}

const stepsWith = (part: fc.Arbitrary<number>): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.record<Step>({
      writer: fc.nat(2),
      act: fc.constantFrom('start', 'text', 'text', 'text', 'end', 'reload', 'resend', 'select'),
      part,
      isEnded: fc.boolean(),
    }),
    { minLength: 5, maxLength: 60 },
  );
const steps = stepsWith(fc.constant(1));
const tornSteps = stepsWith(
  fc.oneof(fc.constant(1), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
);

/** The journal after the steps, its undamaged lines, and all of its writers. */
function playSteps(list: readonly Step[]) {
  const journal = { text: first };
  const open = new Map<number, Writer>();
  const writers: Writer[] = [];
  let whole = '';
  for (const { writer, act, part, isEnded } of list) {
    const before = journal.text;
    const known = act === 'reload' ? undefined : open.get(writer);
    const used = known ?? new Writer(`w${writers.length}`, journal);
    if (known === undefined) writers.push(used);
    open.set(writer, used);
    if (act === 'reload') continue;
    used.act(act);
    const added = journal.text.slice(before.length);
    if (added === '') continue;
    const stored = added.slice(0, Math.floor(added.length * part));
    whole += stored.slice(0, stored.lastIndexOf('\n') + 1);
    // A line that lacks only its line break is undamaged.
    if (`${stored}\n` === added) whole += added.slice(added.slice(0, -1).lastIndexOf('\n') + 1);
    journal.text = before + stored;
    if (part === 1) continue;
    if (isEnded && !journal.text.endsWith('\n')) journal.text += '\n';
    open.delete(writer);
  }
  return { text: journal.text, whole, writers };
}

describe('a journal with several writers', () => {
  it('keeps all text that any window showed, each word once and in its own turn', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { text, writers } = playSteps(list);
        const { conversation } = readJournal('c', text);
        const words = wordsOf(turnsOfAllPaths(conversation));
        assert.equal(new Set(words).size, words.length, text);
        const visibleWords = writers.flatMap((writer) =>
          wordsOf(turnsOfAllPaths(writer.conversation)),
        );
        assert.deepEqual(new Set(words), new Set(visibleWords), text);
        for (const turn of turnsOfAllPaths(conversation))
          assert.equal(new Set(wordsOf([turn]).map((word) => word.split('-')[0])).size, 1);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is read the same line by line, unless it must be read as a whole', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { text } = playSteps(list);
        const reader = new JournalReader('c');
        for (const line of text.split(/(?<=\n)/)) reader.read(line);
        const journal = readJournal('c', text);
        if (!reader.isMixed) assert.deepEqual(reader.content, journal);
        else assert.equal(journal.damaged, 0);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('loses only the lines that were cut while several windows wrote', () => {
    fc.assert(
      fc.property(tornSteps, (list) => {
        const { text, whole } = playSteps(list);
        const visibleWords = wordsOf(turnsOfAllPaths(readJournal('c', text).conversation));
        const missing = whole
          .match(/w\d+-\d+\.(?=")/g)
          ?.filter((word) => !visibleWords.includes(word));
        assert.deepEqual(missing ?? [], [], text);
        assert.equal(new Set(visibleWords).size, visibleWords.length, text);
      }),
      { numRuns: runs(1000) },
    );
  });
});
