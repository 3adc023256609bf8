import assert from 'node:assert/strict';
import fc from 'fast-check';
import { storedPatterns } from '../../../../src/core/history/wordPatterns.ts';
import { systemClock, type Clock } from '../../../../src/core/support/clock.ts';
import {
  ChatSearch,
  type FindJournals,
  type FoundChat,
} from '../../../../src/host/history/chatSearch.ts';
import { cutJournal, cutsOf, searchedWords } from '../../../support/cutJournal.ts';
import { writeLongJournal } from '../../../support/longJournal.ts';
import { runs } from '../../../support/sample.ts';
import { until } from '../../../support/until.ts';
import { chatOf, MemoryJournals } from './memoryJournals.ts';

const never = new AbortController().signal;

describe('the search of saved chats', () => {
  let journals: MemoryJournals;
  const errors: string[] = [];

  beforeEach(() => {
    journals = new MemoryJournals();
    errors.length = 0;
  });

  function create(find?: FindJournals): ChatSearch {
    return new ChatSearch({
      journals,
      find,
      clock: systemClock,
      onError: (what) => errors.push(what),
    });
  }

  async function hits(search: ChatSearch, query: string, signal = never): Promise<FoundChat[]> {
    const matches: FoundChat[] = [];
    await search.search(query, await journals.list(), (chat) => matches.push(chat), signal);
    return matches.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Searches like ripgrep, with JavaScript's regular expressions. */
  const find: FindJournals = async (expression, onMatch) => {
    const pattern = new RegExp(expression.replaceAll('\\x{FEFF}', '\\uFEFF'), 'iu');
    for (const id of await journals.list()) if (pattern.test(journals.textOf(id))) onMatch(id);
  };

  it('reports each chat once, with the turn and the line', async () => {
    journals.write('a', chatOf('a', 'Why?', 1, 'One line\nWhere the needle is\nand another'));
    journals.write('b', chatOf('b', 'No'));
    const hit = { id: 'a', turn: 'turn-a', line: 'Where the needle is' };
    for (const search of [create(), create(find)])
      assert.deepEqual(await hits(search, 'The  NEEDLE'), [hit]);
  });

  it('reads only the chats that may contain the words', async () => {
    journals.write('a', chatOf('a', 'needle'));
    for (const id of ['b', 'c', 'd']) journals.write(id, chatOf(id, 'hay'));
    await hits(create(find), 'needle');
    assert.deepEqual(journals.readIds, ['a']);
  });

  it('finds the same with ripgrep and without it', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          searchedWords.chain(({ text }) => cutsOf(text)),
          { minLength: 1, maxLength: 5 },
        ),
        searchedWords,
        fc.nat(),
        async (texts, { query }, chosen) => {
          journals = new MemoryJournals();
          texts.forEach((cut, index) => journals.write(`c${index}`, cutJournal(`c${index}`, cut)));
          const ownText = texts[chosen % texts.length]?.pieces.join('').trim() ?? '';
          for (const words of [query, ownText])
            assert.deepEqual(await hits(create(find), words), await hits(create(), words));
        },
      ),
      { numRuns: runs(200) },
    ));

  it('reads all chats if ripgrep fails', async () => {
    journals.write('a', chatOf('a', 'needle'));
    const failing = create(() => Promise.reject(new Error('no such program')));
    assert.deepEqual(
      (await hits(failing, 'needle')).map(({ id }) => id),
      ['a'],
    );
    assert.equal(errors.length, 1);
  });

  it('reports nothing more when it is ended, and reads no further chat', async () => {
    for (let index = 0; index < 50; index++) journals.write(`c${index}`, chatOf('c', 'needle'));
    for (const search of [create(), create(find)]) {
      const abort = new AbortController();
      const matches: FoundChat[] = [];
      journals.readIds.length = 0;
      const ids = await journals.list();
      const end = (chat: FoundChat): void => {
        matches.push(chat);
        if (matches.length === 3) abort.abort();
      };
      await search.search('needle', ids, end, abort.signal);
      assert.equal(matches.length, 3);
      assert.equal(journals.readIds.length, 3);
    }
    assert.deepEqual(errors, []);
  });

  it('stops ripgrep when it is ended', async () => {
    let isRunning = false;
    const abort = new AbortController();
    const search = create((_pattern, _found, signal) => {
      isRunning = true;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          isRunning = false;
          reject(new Error('killed'));
        });
      });
    });
    const searching = hits(search, 'needle', abort.signal);
    await until(() => isRunning);
    abort.abort();
    assert.deepEqual(await searching, []);
    assert.ok(!isRunning);
    assert.deepEqual(errors, []);
  });

  it('yields between slices', async () => {
    for (let index = 0; index < 40; index++) journals.write(`c${index}`, chatOf('c', 'needle'));
    let now = 0;
    let pauses = 0;
    const clock = {
      wall: () => 0,
      monotonic: () => (now += 3),
      after: (milliseconds: number, callback: () => void) => {
        pauses++;
        return systemClock.after(milliseconds, callback);
      },
    };
    const search = new ChatSearch({ journals, clock, onError: () => 0 });
    await search.search('needle', await journals.list(), () => 0, never);
    assert.ok(pauses >= 10, `${pauses} pauses`);
  });

  describe('of a very long chat', () => {
    const length = 20_000_000;
    const manyTurns = (): string =>
      writeLongJournal({ conversation: 'a', messages: 20_000, length });
    const hugeReply = (): string =>
      chatOf('a', 'Why?', 1, 'One line of a reply. '.repeat(length / 21));

    /** Counts pauses, and turns of the event loop in which something was done. */
    async function searchWith(
      text: string,
      query: string,
      abortAfter = Infinity,
    ): Promise<{ readonly pauses: number; readonly matchCount: number }> {
      journals.write('a', text);
      const abort = new AbortController();
      let pauses = 0;
      let matchCount = 0;
      const after: Clock['after'] = (milliseconds, callback) => {
        pauses += 1;
        if (pauses === abortAfter) abort.abort();
        return systemClock.after(milliseconds, callback);
      };
      const clock = { wall: () => 0, monotonic: () => 0, after };
      const search = new ChatSearch({ journals, clock, onError: (what) => errors.push(what) });
      await search.search(query, ['a'], () => (matchCount += 1), abort.signal);
      assert.deepEqual(errors, []);
      return { pauses, matchCount };
    }

    it('yields for each million characters that are read or searched', async () => {
      const { pauses, matchCount } = await searchWith(manyTurns(), 'needle in it');
      assert.equal(matchCount, 0);
      // All text is read and searched, except for the JSON around it, which is only read.
      assert.ok(pauses >= 36 && pauses < 60, `${pauses} pauses`);
    });

    it('yields within one huge reply, and finds words anywhere in it', async () => {
      const reply = hugeReply();
      const { pauses } = await searchWith(reply, 'needle in it');
      assert.ok(pauses >= 18, `${pauses} pauses`);
      for (const offset of [999_990, 1_000_000, 15_000_003]) {
        const at = reply.indexOf('One line') + offset;
        const text = `${reply.slice(0, at)} needle  *in*  it ${reply.slice(at)}`;
        assert.equal((await searchWith(text, 'needle in it')).matchCount, 1);
      }
    });

    it('stops reading when it is ended', async () => {
      const { pauses } = await searchWith(manyTurns(), 'needle', 3);
      assert.equal(pauses, 3);
    });
  });

  it('searches for the usual form of the words, and then for all other forms', async () => {
    const patterns: unknown[] = [];
    const search = create((pattern) => {
      patterns.push(pattern);
      return Promise.resolve();
    });
    await hits(search, 'a "b"');
    const { usual, any } = storedPatterns('a "b"');
    assert.deepEqual(patterns, [usual, any]);
  });
});
