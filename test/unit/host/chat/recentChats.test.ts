import assert from 'node:assert/strict';
import { RecentChats } from '../../../../src/host/chat/recentChats.ts';
import type { RecentChat } from '../../../../src/protocol/messages.ts';

describe('the recent chats', () => {
  it("fire only on changes, and keep the last ones if they can't be read", async () => {
    let saved: readonly RecentChat[] | Error = [{ id: 'a', title: 'Why?', at: 1 }];
    const errors: unknown[] = [];
    const recent = new RecentChats({
      read: () => (saved instanceof Error ? Promise.reject(saved) : Promise.resolve(saved)),
      isUnread: () => false,
      onError: (error) => errors.push(error),
    });
    let changes = 0;
    recent.onDidChange(() => changes++);
    assert.deepEqual(recent.current, []);
    await recent.refresh();
    await recent.refresh();
    assert.equal(changes, 1);
    saved = new Error('EIO');
    await recent.refresh();
    assert.equal(errors.length, 1);
    assert.deepEqual(recent.current, [{ id: 'a', title: 'Why?', at: 1 }]);
    saved = [];
    await recent.refresh();
    assert.equal(changes, 2);
    recent.dispose();
  });

  it('are those of the last reading, whichever finishes first', async () => {
    const answers: ((saved: readonly RecentChat[]) => void)[] = [];
    const recent = new RecentChats({
      read: () => new Promise((resolve) => answers.push(resolve)),
      isUnread: () => false,
      onError: () => assert.fail(),
    });
    const readings = [recent.refresh(), recent.refresh()];
    answers[1]?.([]);
    answers[0]?.([{ id: 'deleted', title: 'Why?', at: 1 }]);
    await Promise.all(readings);
    assert.deepEqual(recent.current, []);
    recent.dispose();
  });

  it('mark unread ones as soon as that changes', async () => {
    const unread = new Set<string>();
    const saved = ['a', 'b'].map((id) => ({ id, title: 'Why?', at: 1 }));
    const recent = new RecentChats({
      read: () => Promise.resolve(saved),
      isUnread: (id) => unread.has(id),
      onError: () => assert.fail(),
    });
    let changes = 0;
    recent.onDidChange(() => changes++);
    await recent.refresh();
    unread.add('b');
    recent.update();
    recent.update();
    assert.deepEqual(
      recent.current.map(({ isUnread }) => isUnread === true),
      [false, true],
    );
    assert.equal(changes, 2);
    unread.clear();
    recent.update();
    assert.deepEqual(recent.current, saved);
    recent.dispose();
  });
});
