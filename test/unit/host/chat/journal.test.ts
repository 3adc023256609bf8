import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { emptyConversation, turnText } from '../../../../src/core/conversation/conversation.ts';
import { type ConversationEvent, wholeEvents } from '../../../../src/core/conversation/events.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import {
  Journal,
  type JournalOptions,
  type JournalStorage,
} from '../../../../src/host/chat/journal.ts';
import { ChatLocks } from '../../../../src/host/chat/chatLocks.ts';
import { diskJournals } from '../../../support/diskJournals.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { settled } from '../../../support/settled.ts';
import { runs } from '../../../support/sample.ts';
import { MemoryLocks } from '../../../support/memoryLocks.ts';
import { turnStart } from '../../../support/turns.ts';

const question = { text: 'Why?', attachments: [] };
const start: ConversationEvent = turnStart({ question });
const delta = (text: string): ConversationEvent => ({ type: 'text-delta', text, at: 2 });
const end: ConversationEvent = { type: 'turn-end', status: 'finished', at: 3 };

/** Storage that can fail, before or after it has written half of a text. */
class FakeStorage implements JournalStorage {
  text = '';
  writes = 0;
  failing: 'no' | 'at once' | 'half way' = 'no';

  append(_conversation: string, text: string): Promise<void> {
    this.writes += 1;
    if (this.failing === 'half way') this.text += `${text.slice(0, text.length / 2)}\n`;
    if (this.failing !== 'no') return Promise.reject(new Error('No space left'));
    this.text += text;
    return Promise.resolve();
  }

  read(): Promise<string | undefined> {
    return Promise.resolve(this.text);
  }
}

function open(
  storage: JournalStorage,
  clock = new ManualClock(),
  more: Partial<JournalOptions> = {},
): Journal {
  const begun = { conversation: 'c', workspace: 'file:///w', records: 0 };
  return new Journal({ ...begun, storage, clock, ...more });
}

describe('Journal', () => {
  it('has all text visible for 300 ms, however slow the storage and the service are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 1, 5, 30, 90, 199, 200, 201, 700), { maxLength: 40 }),
        fc.nat(50),
        async (pauses, latency) => {
          const clock = new ManualClock();
          const storage = new FakeStorage();
          const append = storage.append.bind(storage);
          storage.append = async (...lines) => {
            await new Promise<void>((resolve) => clock.after(latency, resolve));
            await append(...lines);
          };
          const journal = open(storage, clock);
          journal.append(start);
          const seen: number[] = [];
          const textStored = (): number => {
            const { running } = readJournal('c', storage.text).conversation;
            return running === undefined ? 0 : turnText(running).length;
          };
          for (const pause of pauses) {
            await clock.advance(pause);
            journal.append(delta('x'));
            seen.push(clock.monotonic());
            const old = seen.filter((at) => at <= clock.monotonic() - 300).length;
            assert.ok(textStored() >= old, `${textStored()} of ${old}`);
          }
          await clock.advance(300);
          assert.equal(textStored(), pauses.length);
          const seconds = clock.monotonic() / 1000;
          assert.ok(storage.writes <= 5 * seconds + 3, `${storage.writes} in ${seconds} s`);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('writes a turn that is sent again together with the removal of the previous one', async () => {
    const storage = new FakeStorage();
    const journal = open(storage);
    journal.append(start);
    journal.append(end);
    await journal.flush();
    const { writes } = storage;
    journal.append({ type: 'turn-remove', id: 't' });
    journal.append({ ...start, id: 'again' });
    await journal.flush();
    assert.equal(storage.writes, writes + 1);
  });

  it('writes an event that arrives just when a write ends', async () => {
    for (let moments = 0; moments < 8; moments++) {
      const storage = new FakeStorage();
      const journal = open(storage);
      const append = storage.append.bind(storage);
      let finish = (): void => undefined;
      storage.append = async (...parameters) => {
        await new Promise<void>((resolve) => (finish = resolve));
        await append(...parameters);
      };
      journal.append(start);
      await settled();
      storage.append = append;
      finish();
      for (let moment = 0; moment < moments; moment++) await Promise.resolve();
      journal.append(end);
      await settled();
      assert.match(storage.text, /turn-end/, `after ${moments} moments`);
    }
  });

  it('is read as if nothing had failed, wherever a full disk cut the lines', async () => {
    const events: ConversationEvent[] = [
      { ...start, question: { text: 'Größe? 🙂', attachments: [] } },
      delta('é'.repeat(20)),
      end,
      { ...start, id: 'u' },
      delta('Because 𝒙'),
      end,
    ];
    const whole = events.reduce(reduce, emptyConversation('c'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.nat(100), { maxLength: 3 })), async (cuts) => {
        let bytes = Buffer.alloc(0);
        let failing: readonly number[] = [];
        const write = (text: string, part: number): void => {
          const isInside = bytes.length > 0 && bytes.at(-1) !== 10;
          const added = Buffer.from(isInside ? `\n${text}` : text);
          bytes = Buffer.concat([
            bytes,
            added.subarray(0, Math.floor((added.length * part) / 100)),
          ]);
        };
        const storage: JournalStorage = {
          append: (_, text) => {
            const [part = 100, ...others] = failing;
            failing = others;
            write(text, part);
            return part < 100 ? Promise.reject(new Error('ENOSPC')) : Promise.resolve();
          },
          read: () => Promise.resolve(bytes.toString()),
        };
        const clock = new ManualClock();
        const journal = open(storage, clock);
        for (const [index, event] of events.entries()) {
          failing = cuts[index] ?? [];
          journal.append(event);
          await journal.flush();
        }
        failing = [];
        await journal.flush();
        assert.deepEqual(readJournal('c', bytes.toString()).conversation, whole);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a journal that is closed', () => {
  const full = fc.constantFrom('at once', 'half way', 'no');

  it('releases its lock and writes nothing more, even on a full disk', async () => {
    await fc.assert(
      fc.asyncProperty(full, fc.nat(20_000), fc.nat(3), async (failing, before, moments) => {
        const clock = new ManualClock();
        const storage = new FakeStorage();
        const files = new MemoryLocks();
        const host = { machine: 'm', id: 1, isRunning: () => true };
        const locks = new ChatLocks(files, host, clock);
        const journal = open(storage, clock, { locks });
        journal.append(start);
        await journal.flush();
        assert.ok(locks.holds('c'));
        storage.failing = failing;
        journal.append(delta('x'));
        await clock.advance(before);
        journal.append(delta('y'));
        for (let moment = 0; moment < moments; moment++) await Promise.resolve();
        journal.dispose();
        await clock.advance(100);
        const { writes } = storage;
        assert.equal(locks.holds('c'), false);
        assert.deepEqual(await files.names(), []);
        storage.failing = 'no';
        await clock.advance(700_000);
        assert.equal(storage.writes, writes);
        assert.deepEqual(await files.names(), []);
        const text = storage.text + journal.unsaved;
        assert.match(text, failing === 'no' ? /"y"|"xy"/ : /"xy"|"x"[^]*"y"/);
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('a damaged journal', () => {
  it('is copied once, before anything is written after the damage', async () => {
    const order: string[] = [];
    const storage: JournalStorage = {
      append: () => Promise.resolve(void order.push('append')),
      read: () => Promise.resolve(''),
      setAside: () => Promise.resolve(void order.push('copy')),
    };
    const position = { lines: { '': 4 }, damaged: 2 };
    const journal = open(storage, undefined, { records: 4, position, isDamaged: true });
    await journal.flush();
    assert.deepEqual(order, []);
    journal.append(end);
    await journal.flush();
    journal.append(start);
    await journal.flush();
    assert.deepEqual(order, ['copy', 'append', 'append']);
  });

  it("is not changed while it can't be copied", async () => {
    const storage = new FakeStorage();
    const setAside = (): Promise<void> => Promise.reject(new Error('No space left'));
    const damaged = { append: storage.append.bind(storage), read: () => storage.read(), setAside };
    const position = { lines: {}, damaged: 1 };
    const journal = open(damaged, undefined, { records: 1, position, isDamaged: true });
    journal.append(end);
    await journal.flush();
    assert.equal(storage.text, '');
    assert.match(journal.unsaved, /turn-end/);
  });
});

describe('text that arrives while nothing can be written', () => {
  it('is reported within 200 ms, to be stored elsewhere, without another attempt', async () => {
    const clock = new ManualClock();
    const storage = new FakeStorage();
    storage.failing = 'at once';
    const journal = open(storage, clock);
    let unsaved = '';
    journal.onDidChangeUnsaved((lines) => (unsaved = lines));
    journal.append(start);
    await journal.flush();
    const { writes } = storage;
    for (const text of ['Kept ', 'in ', 'mind.']) {
      journal.append(delta(text));
      await clock.advance(100);
    }
    await clock.advance(100);
    assert.equal(storage.writes, writes);
    const { running } = readJournal('c', unsaved).conversation;
    assert.equal(running && turnText(running), 'Kept in mind.');
    storage.failing = 'no';
    await journal.flush();
    assert.equal(unsaved, '');
    assert.deepEqual(readJournal('c', storage.text).conversation.running, running);
  });
});

describe('journals on the disk', () => {
  let temporary: TemporaryFolder;
  let folder = '';
  beforeEach(async () => {
    temporary = await TemporaryFolder.create();
    folder = temporary.path;
  });
  afterEach(() => temporary.dispose());

  it('rejects an ID that leads out of its folder', async () => {
    await assert.rejects(diskJournals(folder).read('../secret'));
    await assert.rejects(diskJournals(folder).append('a/b', 'x'));
  });

  it('writes a deleted chat anew once its reply has ended', async () => {
    const storage = diskJournals(join(folder, 'chats'));
    const all = [
      start,
      delta('Since.'),
      end,
      turnStart({ id: 'second', question }),
      delta('Then.'),
    ];
    let conversation = emptyConversation('c');
    const whole = (): readonly ConversationEvent[] | undefined =>
      conversation.running === undefined ? wholeEvents(conversation) : undefined;
    const journal = open(storage, undefined, { whole });
    const add = async (event: ConversationEvent): Promise<void> => {
      conversation = reduce(conversation, event);
      journal.append(event);
      await journal.flush();
    };
    for (const event of all) await add(event);
    await rm(join(folder, 'chats'), { recursive: true });
    await add(delta(' Lost?'));
    assert.equal(await storage.read('c'), undefined);
    await add(end);
    assert.equal(journal.unsaved, '');
    for (const event of [turnStart({ id: 'third', question }), delta('So.'), end]) await add(event);
    const stored = readJournal('c', (await storage.read('c')) ?? '');
    assert.equal(stored.damaged, 0);
    assert.deepEqual(stored.conversation.turns.map(turnText), ['Since.', 'Then. Lost?', 'So.']);
  });

  it('does not recreate a chat whose folder was deleted while a reply runs', async () => {
    const storage = diskJournals(join(folder, 'chats'));
    const journal = open(storage);
    const failures: (string | undefined)[] = [];
    journal.onDidFail((error) => failures.push(error?.message));
    journal.append(start);
    await journal.flush();
    const before = await storage.read('c');
    await rm(join(folder, 'chats'), { recursive: true });
    journal.append(delta('kept'));
    await journal.flush();
    assert.match(failures[0] ?? '', /was deleted: .*c\.jsonl/);
    assert.equal(await storage.read('c'), undefined);
    // The chat is written again, as when a drive is reconnected.
    await storage.append('c', before ?? '');
    await journal.flush();
    const { conversation } = readJournal('c', (await storage.read('c')) ?? '');
    assert.equal(conversation.running && turnText(conversation.running), 'kept');
  });
});
