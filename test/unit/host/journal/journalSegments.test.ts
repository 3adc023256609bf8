import assert from 'node:assert/strict';
import { join } from 'node:path';
import { JournalFiles } from '../../../../src/host/journal/journalFiles.ts';
import { Leases } from '../../../../src/host/leases.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

describe('the segments of a chat', () => {
  it('are in the order in which windows wrote them, however they alternate', async () => {
    const clock = new ManualClock();
    const folder = await TemporaryFolder.create();
    const windows = [1, 2].map((id) => {
      const host = { machine: 'm', id, isRunning: () => true };
      const files = virtualFiles(join(folder.path, 'leases'));
      const leases = new Leases({ files, host, workspace: 'w', clock });
      const chats = virtualFiles(join(folder.path, 'chats'));
      return { leases, journals: new JournalFiles(chats, clock, leases) };
    });
    const written: string[] = [];
    for (const [index, by] of [0, 0, 1, 0, 1, 1, 0].entries()) {
      const { leases, journals } = windows[by] ?? assert.fail();
      assert.ok(await leases.claim('c'));
      for (const line of [`line ${index}`, `line ${index}, continued`]) {
        await journals.append('c', `${line}\n`);
        written.push(line);
      }
      await leases.release('c');
      // Longer than a listing of leases is trusted.
      await clock.advance(300);
    }
    for (const { leases, journals } of windows) {
      assert.deepEqual((await journals.read('c'))?.split('\n').slice(0, -1), written);
      leases.dispose();
    }
    await folder.dispose();
  });
});
