import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Conversation, Turn } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { JournalReader, readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { idOfEnd, turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import {
  writeEvent,
  writeHeader,
  type JournalPosition,
} from '../../../../src/core/conversation/record.ts';
import { interruptedEnds, reduce } from '../../../../src/core/conversation/reduce.ts';
import { runs } from '../../../support/sample.ts';
import { turnStart } from '../../../support/turns.ts';

const first = writeHeader({ conversation: 'c', workspace: '', at: 0 });

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
}

const steps = fc.array(
  fc.record<Step>({
    writer: fc.nat(2),
    act: fc.constantFrom('start', 'text', 'text', 'text', 'end', 'reload', 'resend', 'select'),
  }),
  { minLength: 5, maxLength: 60 },
);

/** The journal after the steps, and all of its writers. */
function playSteps(list: readonly Step[]): {
  readonly journal: { text: string };
  readonly all: readonly Writer[];
} {
  const journal = { text: first };
  const open = new Map<number, Writer>();
  const all: Writer[] = [];
  for (const { writer, act } of list) {
    const isNew = act === 'reload' || !open.has(writer);
    const used = isNew ? new Writer(`w${all.length}`, journal) : open.get(writer);
    if (used === undefined) continue;
    if (isNew) all.push(used);
    open.set(writer, used);
    if (act !== 'reload') used.act(act);
  }
  return { journal, all };
}

describe('a journal with several writers', () => {
  it('keeps all text that any window showed, each word once and in its own turn', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { journal, all } = playSteps(list);
        const { conversation } = readJournal('c', journal.text);
        const words = wordsOf(turnsOfAllPaths(conversation));
        assert.equal(new Set(words).size, words.length, journal.text);
        const visibleWords = new Set(
          all.flatMap((writer) => wordsOf(turnsOfAllPaths(writer.conversation))),
        );
        assert.deepEqual(new Set(words), visibleWords, journal.text);
        for (const turn of turnsOfAllPaths(conversation))
          assert.equal(new Set(wordsOf([turn]).map((word) => word.split('-')[0])).size, 1);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is read the same line by line, unless it must be read as a whole', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { text } = playSteps(list).journal;
        const reader = new JournalReader('c');
        for (const line of text.split(/(?<=\n)/)) reader.read(line);
        const whole = readJournal('c', text);
        if (!reader.isMixed) assert.deepEqual(reader.content, whole);
        else assert.equal(whole.damaged, 0);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** A step whose text reaches the disk only in part, which ends its writer. */
interface TornStep extends Step {
  /** Fraction of the text that reaches the disk; 1 for all of it. */
  readonly part: number;
  /** True if the torn line gets a line break before the next writer. */
  readonly isEnded: boolean;
}

const tornSteps = fc.array(
  fc.record<TornStep>({
    writer: fc.nat(2),
    act: fc.constantFrom('start', 'text', 'text', 'text', 'end', 'reload', 'resend', 'select'),
    part: fc.oneof(fc.constant(1), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    isEnded: fc.boolean(),
  }),
  { minLength: 5, maxLength: 60 },
);

/** The journal after the steps, and its undamaged lines. */
function playTornSteps(list: readonly TornStep[]): {
  readonly text: string;
  readonly whole: string;
} {
  const journal = { text: first };
  const open = new Map<number, Writer>();
  let whole = '';
  for (const [index, { writer, act, part, isEnded }] of list.entries()) {
    const before = journal.text;
    const isNew = act === 'reload' || !open.has(writer);
    const used = (isNew ? undefined : open.get(writer)) ?? new Writer(`w${index}`, journal);
    open.set(writer, used);
    if (act === 'reload') continue;
    used.act(act);
    const added = journal.text.slice(before.length);
    if (added === '') continue;
    const stored = added.slice(0, Math.floor(added.length * part));
    whole += stored.slice(0, stored.lastIndexOf('\n') + 1);
    // A line that lacks only its line break is undamaged.
    if (`${stored}\n` === added)
      whole = whole + added.slice(added.slice(0, -1).lastIndexOf('\n') + 1);
    journal.text = before + stored;
    if (part === 1) continue;
    if (isEnded && !journal.text.endsWith('\n')) journal.text += '\n';
    open.delete(writer);
  }
  return { text: journal.text, whole };
}

describe('a journal with lines that were cut while several windows wrote', () => {
  it('loses only those lines', () => {
    fc.assert(
      fc.property(tornSteps, (list) => {
        const { text, whole } = playTornSteps(list);
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
