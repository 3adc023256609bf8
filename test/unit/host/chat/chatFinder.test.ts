import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/core/support/clock.ts';
import { ChatFinder } from '../../../../src/host/chat/chatFinder.ts';
import { longConversation } from '../../../support/longJournal.ts';

describe('ChatFinder', () => {
  const conversation = longConversation(1000, 4000);
  const finder = new ChatFinder(() => conversation, systemClock);

  it('starts at the visible turn, or with the last match before it', async () => {
    const starts: unknown[] = [];
    for (const from of ['turn-1', 'turn-500', 'turn-1000', 'gone', undefined])
      starts.push((await finder.find('Question 50', from))?.start);
    // Messages 50 and 500 to 509 match.
    assert.deepEqual(starts, [0, 1, 10, 0, 0]);
  });

  it('is superseded by the next query, and stops counting at its limit', async () => {
    const old = finder.find('part', undefined);
    const next = await finder.find('a', undefined);
    assert.deepEqual([await old, next?.complete], [undefined, false]);
  });
});
