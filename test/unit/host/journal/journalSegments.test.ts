import assert from 'node:assert/strict';
import { join } from 'node:path';
import { JournalFiles } from '../../../../src/host/journal/journalFiles.ts';
import { ChatLocks } from '../../../../src/host/chatLocks.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

describe('the segments of a chat', () => {
  it('are in the order in which windows wrote them, however they alternate', async () => {
    const clock = new ManualClock();
    const folder = await TemporaryFolder.create();
    const windows = [1, 2].map((id) => {
      const host = { machine: 'm', id, isRunning: () => true };
      const locks = new ChatLocks(virtualFiles(join(folder.path, 'locks')), host, clock);
      const chats = virtualFiles(join(folder.path, 'chats'));
      return { locks, journals: new JournalFiles(chats, clock, locks) };
    });
    const written: string[] = [];
    for (const [index, by] of [0, 0, 1, 0, 1, 1, 0].entries()) {
      const { locks, journals } = windows[by] ?? assert.fail();
      assert.ok(await locks.acquire('c'));
      for (const line of [`line ${index}`, `line ${index}, continued`]) {
        await journals.append('c', `${line}\n`);
        written.push(line);
      }
      await locks.release('c');
    }
    for (const { locks, journals } of windows) {
      assert.deepEqual((await journals.read('c'))?.split('\n').slice(0, -1), written);
      locks.dispose();
    }
    await folder.dispose();
  });
});
