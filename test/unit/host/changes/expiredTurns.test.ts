import assert from 'node:assert/strict';
import {
  expiredTurns,
  removeExpired,
  type KeptTurn,
  type KeptTurns,
} from '../../../../src/host/changes/expiredTurns.ts';

const day = 24 * 60 * 60 * 1000;
const now = 100 * day;
const chats = new Set(['chat']);

function turn(name: string, age: number, size = 1, chat = 'chat'): KeptTurn {
  return { chat, turn: name, size, writtenAt: now - age };
}

function expired(...turns: readonly KeptTurn[]): readonly string[] {
  return expiredTurns(turns, chats, now).map((expiredTurn) => expiredTurn.turn);
}

class FakeKept implements KeptTurns {
  stored: readonly KeptTurn[];

  constructor(turns: readonly KeptTurn[]) {
    this.stored = turns;
  }

  turns(): Promise<readonly KeptTurn[]> {
    return Promise.resolve(this.stored);
  }

  remove(turn: KeptTurn): Promise<void> {
    this.stored = this.stored.filter((candidate) => candidate !== turn);
    return Promise.resolve();
  }
}

describe('expiredTurns', () => {
  it('keeps changes for thirty days', () => {
    assert.deepEqual(expired(turn('new', 0), turn('old', 30 * day), turn('older', 30 * day + 1)), [
      'older',
    ]);
  });

  it('deletes changes of a deleted chat, but not of one that may be new', () => {
    assert.deepEqual(expired(turn('begun', day, 1, 'other'), turn('gone', day + 1, 1, 'other')), [
      'gone',
    ]);
  });

  it('deletes the oldest beyond 200 MB in total', () => {
    const half = 100_000_000;
    const turns = [turn('c', 3, 1), turn('a', 1, half), turn('b', 2, half), turn('d', 4, 0)];
    assert.deepEqual(expired(...turns), ['c', 'd']);
    assert.deepEqual(expired(...turns.slice(1, 3)), []);
  });
});

describe('removeExpired', () => {
  it('removes only expired changes', async () => {
    const store = new FakeKept([turn('a', 0), turn('b', 31 * day), turn('c', 2 * day, 1, 'other')]);
    await removeExpired(store, () => Promise.resolve(['chat']), now);
    assert.deepEqual(
      store.stored.map((storedTurn) => storedTurn.turn),
      ['a'],
    );
  });

  it('removes nothing if the chats cannot be listed', async () => {
    const store = new FakeKept([turn('a', 0), turn('b', 31 * day)]);
    await assert.rejects(
      removeExpired(store, () => Promise.reject(new Error('EIO')), now),
      /EIO/,
    );
    assert.equal(store.stored.length, 2);
  });
});
