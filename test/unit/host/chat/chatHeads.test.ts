import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChatHeads, type SavedChat } from '../../../../src/host/chat/chatHeads.ts';
import { reportedErrors } from '../../../support/reportedErrors.ts';
import { chatOf, MemoryJournals, MemoryText } from './memoryJournals.ts';

describe('the saved chats', () => {
  let journals: MemoryJournals;
  let cache: MemoryText;
  const errors: string[] = [];

  function open(): ChatHeads {
    return new ChatHeads({ journals, cache, onError: (what) => errors.push(what) });
  }

  beforeEach(() => {
    journals = new MemoryJournals();
    cache = new MemoryText();
    errors.length = 0;
  });

  it('are those with journals, newest first, with their sizes', async () => {
    journals.write('a', chatOf('a', 'First', 5));
    journals.write('b', chatOf('b', 'Second', 9));
    journals.write('empty', '');
    const chats = await open().read();
    assert.deepEqual(
      chats.map(({ id, title }) => [id, title]),
      [
        ['b', 'Second'],
        ['a', 'First'],
      ],
    );
    assert.equal(chats[0]?.size, chatOf('b', 'Second', 9).length);
  });

  it('are the same with cached heads as without, whatever happened meanwhile', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.tuple(id, fc.constantFrom('One', 'Two', 'Three'), fc.nat(9)).map(
        ([chat, text, at]) =>
          () =>
            journals.write(chat, chatOf(chat, text, at)),
      ),
      id.map((chat) => () => journals.remove(chat)),
      fc.constantFrom(undefined, '', '{', '{"version":2,"journals":{"a":7}}').map((text) => () => {
        cache.text = text;
      }),
    );
    const steps = fc.array(step, { maxLength: 6 });
    return fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 4 }), fc.boolean(), async (rounds, isOne) => {
        journals = new MemoryJournals();
        cache = new MemoryText();
        let chats = open();
        for (const round of rounds) {
          for (const act of round) act();
          if (!isOne) chats = open();
          const fresh = new ChatHeads({ journals, cache: new MemoryText(), onError: () => 0 });
          let early: readonly SavedChat[] = [];
          const saved = await chats.read((first) => (early = first));
          assert.deepEqual(saved, await fresh.read());
          assert.deepEqual(early, saved);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("are not read from an earlier version's cache, which has other titles", async () => {
    journals.write('a', chatOf('a', '```ts\nlet a;\n```'));
    await open().read();
    const cached = cache.text ?? '';
    assert.match(cached, /^\{"version":2,.*"title":"let a;"/);
    cache.text = cached.replace('"version":2', '"version":1').replace('let a;', '```ts');
    assert.equal((await open().read())[0]?.title, 'let a;');
  });

  it('are listed even if one cannot be read, or the heads cannot be stored', async () => {
    journals.write('a', chatOf('a', 'First'));
    journals.write('b', chatOf('b', 'Second'));
    journals.unreadable.add('a');
    cache.write = () => Promise.reject(new Error('ENOSPC'));
    cache.read = () => Promise.reject(new Error('EIO'));
    let read: readonly SavedChat[] = [];
    const reported = await reportedErrors(async () => (read = await open().read()));
    assert.deepEqual(
      read.map(({ id }) => id),
      ['b'],
    );
    assert.deepEqual([errors.length, reported.map(String)], [2, ['Error: EIO']]);
  });
});
