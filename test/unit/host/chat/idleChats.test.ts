import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { OpenChat } from '../../../../src/host/chat/openChat.ts';
import { IdleChats } from '../../../../src/host/chat/idleChats.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';
import { openChat } from './openChatRig.ts';
import { noStorage } from '../../../support/memoryStorage.ts';

function chat(id: string): OpenChat {
  const connect = (): Promise<never> => Promise.reject(new Error('not used'));
  const options = {
    clock: new ManualClock(),
    state: new FakeMemento(),
    storage: noStorage,
    chat: { connect },
  };
  return openChat({ id, origin: 'new' }, options);
}

describe('the idle chats that stay in memory', () => {
  const chats = ['a', 'b', 'c', 'd'].map(chat);

  it('are the most recently visible ones, within the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...chats)), fc.nat(5), (seen, most) => {
        const idle = new IdleChats(most);
        for (const seenChat of seen) idle.noteSeen(seenChat);
        const surplus = new Set(idle.surplus(chats));
        const stay = chats.filter((candidate) => !surplus.has(candidate));
        assert.equal(stay.length, Math.min(most, chats.length));
        const lastSeen = [...new Set(seen.toReversed())];
        for (const seenChat of lastSeen.slice(0, most)) assert.ok(!surplus.has(seenChat));
      }),
    );
  });

  it('exclude closed ones', () => {
    const idle = new IdleChats(1);
    const [first, second] = chats;
    assert.ok(first !== undefined && second !== undefined);
    idle.noteSeen(second);
    idle.noteSeen(first);
    idle.forget(first);
    assert.deepEqual(idle.surplus([first, second]), [first]);
  });
});
