import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/core/support/clock.ts';
import { ChatFinder } from '../../../../src/host/chat/chatFinder.ts';
import { longConversation } from '../../../support/longJournal.ts';

describe('ChatFinder', () => {
  const conversation = longConversation(1000, 4000);
  const finder = new ChatFinder(() => conversation, systemClock);

  it('searches all of a long chat', async () => {
    const result = await finder.find('part 2 of answer 7.', undefined);
    assert.deepEqual(result?.places, [{ turn: 'turn-7', part: 0, hits: 1 }]);
    assert.equal(result.complete, true);
  });

  it('starts at the visible turn, or with the last match before it', async () => {
    const starts = ['turn-1', 'turn-500', 'turn-1000', 'gone', undefined].map(async (from) => {
      const result = await new ChatFinder(() => conversation, systemClock).find(
        'Question 50',
        from,
      );
      return result?.start;
    });
    // Messages 50 and 500 to 509 match.
    assert.deepEqual(await Promise.all(starts), [0, 1, 10, 0, 0]);
  });

  it('is superseded by the next query', async () => {
    const old = finder.find('part', undefined);
    const next = await finder.find('Question 1000.', undefined);
    assert.equal(await old, undefined);
    assert.equal(next?.places.length, 1);
  });

  it('stops counting at the limit', async () => {
    const result = await finder.find('a', undefined);
    assert.equal(result?.complete, false);
    const hits = result.places.reduce((sum, match) => sum + match.hits, 0);
    assert.ok(hits >= 10_000 && hits < 11_000);
  });

  it('finds nothing for an empty query', async () => {
    const result = await finder.find('  ', undefined);
    assert.deepEqual(result, { places: [], start: 0, complete: true });
  });
});
