import assert from 'node:assert/strict';
import { SavedChats, type SavedChat } from '../../../../src/host/history/savedChats.ts';
import { chatOf, MemoryJournals, MemoryText } from './memoryJournals.ts';

const count = 10_000;

/** Journals that count checks, and how many run at the same time. */
class CountedJournals extends MemoryJournals {
  checkCount = 0;
  mostConcurrent = 0;
  #open = 0;

  override async status(id: string) {
    this.checkCount += 1;
    this.mostConcurrent = Math.max(this.mostConcurrent, (this.#open += 1));
    await Promise.resolve();
    this.#open -= 1;
    return super.status(id);
  }
}

describe('ten thousand saved chats', () => {
  let journals: CountedJournals;
  let cache: MemoryText;
  const idOf = (index: number): string => `c${index}`;

  beforeEach(async () => {
    journals = new CountedJournals();
    cache = new MemoryText();
    for (let index = 0; index < count; index++)
      journals.write(idOf(index), chatOf(idOf(index), `Message ${index}`, index + 1));
    await open().read();
    journals.readIds.length = 0;
    journals.checkCount = 0;
  });

  function open(): SavedChats {
    const onError = (what: string): void => assert.fail(what);
    return new SavedChats({ journals, cache, onError });
  }

  it('are read once each, a few at a time, and never again in a later window', async () => {
    const chats = await open().read();
    assert.equal(chats.length, count);
    assert.deepEqual(journals.readIds, []);
    assert.equal(journals.checkCount, count);
    assert.ok(journals.mostConcurrent <= 32, `${journals.mostConcurrent} at once`);
    assert.equal(cache.writes, 1);
  });

  it('are shown after checking fifty, if none was added', async () => {
    let first: readonly SavedChat[] = [];
    let checkCount = 0;
    await open().read((early) => {
      first = early;
      ({ checkCount } = journals);
    });
    assert.equal(checkCount, 50);
    assert.deepEqual(journals.readIds, []);
    assert.deepEqual(
      first.map(({ id }) => id),
      Array.from({ length: 50 }, (_, index) => idOf(count - 1 - index)),
    );
  });

  it('are shown after reading only those that were changed, and at most a hundred before', async () => {
    const changed = Array.from({ length: 300 }, (_, index) => `new${index}`);
    for (const [index, id] of changed.entries())
      journals.write(id, chatOf(id, 'New', count + index));
    let checkCount = 0;
    const chats = await open().read(() => ({ checkCount } = journals));
    assert.ok(checkCount <= 100, `${checkCount} checks`);
    assert.equal(chats.length, count + 300);
    assert.deepEqual(new Set(journals.readIds), new Set(changed));
  });
});
