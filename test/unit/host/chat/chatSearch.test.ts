import { until } from '../../../support/until.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  ChatSearch,
  type FindJournals,
  type FoundChat,
} from '../../../../src/host/chat/chatSearch.ts';
import { cutJournal, cutsOf, searchedWords } from '../../../support/cutJournal.ts';
import { runs } from '../../../support/sample.ts';
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
      find: () => Promise.resolve(find),
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
});
