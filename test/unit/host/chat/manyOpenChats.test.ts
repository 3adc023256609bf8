import assert from 'node:assert/strict';
import { readdir, readlink } from 'node:fs/promises';
import { JournalFiles } from '../../../../src/host/journal/journalFiles.ts';
import { Leases } from '../../../../src/host/leases.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { until } from '../../../support/until.ts';
import { FakeMemento } from '../fakes.ts';
import { FakePlace, openChats, SlowModel } from './openChatRig.ts';

const count = 20;
const minute = 60_000;
/** One journal per chat, a lease that is being read, and one that is being written. */
const mostFiles = count + 2;

/** Number of files that this process has open in a folder; 0 where the system can't tell. */
async function openFilesIn(folder: string): Promise<number> {
  const handles = await readdir('/proc/self/fd').catch(() => []);
  const paths = await Promise.all(
    handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return paths.filter((path) => path.startsWith(folder)).length;
}

describe('twenty open chats', () => {
  it('use no more timers, leases and files after an hour of turns, and none once closed', async () => {
    const folder = await TemporaryFolder.create();
    const clock = new ManualClock();
    const files = new DiskFiles(folder.path);
    const leaseFiles = files.folder('leases');
    const host = { machine: 'm', id: 1, isRunning: () => true };
    const leases = new Leases({ files: leaseFiles, host, workspace: 'w', clock });
    const model = new SlowModel();
    const timersBefore = clock.waits.length;
    const { chats, sidebar } = openChats({
      clock,
      state: new FakeMemento(),
      storage: new JournalFiles(files.folder('chats'), clock, leases),
      leases,
      chat: { connect: () => Promise.resolve({ client: model.client, demo: false }) },
    });
    const tabs = Array.from({ length: count }, () => new FakePlace(chats, chats.create()));
    for (const tab of tabs) chats.addPlace(tab);

    /** Runs a turn in each chat, and returns the resources in use afterwards. */
    const round = async (text: string) => {
      const sending = tabs.map(({ openChat }) =>
        openChat.chat.send({ text, attachments: [] }, 'm'),
      );
      let isDone = false;
      const all = Promise.all(sending).then(() => (isDone = true));
      await until(() => {
        model.step();
        return isDone;
      });
      await all;
      await Promise.all(tabs.map(({ openChat }) => openChat.store.flush()));
      const handles = await openFilesIn(folder.path);
      await clock.advance(5 * minute);
      await Promise.all(tabs.map(({ openChat }) => openChat.store.flush()));
      return { timers: clock.waits.length, leases: (await leaseFiles.names()).length, handles };
    };
    const first = await round('0');
    for (let index = 1; index < 12; index++) {
      const used = await round(`${index}`);
      assert.ok(used.handles <= mostFiles, `${used.handles} files`);
      assert.deepEqual({ ...used, handles: 0 }, { ...first, handles: 0 });
    }
    assert.ok(first.leases >= count && first.handles <= mostFiles, JSON.stringify(first));
    assert.ok(tabs.every(({ openChat }) => openChat.chat.conversation.turns.length === 12));

    const closed = tabs.map(({ openChat }) => openChat);
    for (const tab of tabs) tab.show(sidebar.openChat);
    await until(() => clock.waits.length > 0);
    await clock.advance(minute);
    await until(() => closed.every(({ id }) => chats.find(id) === undefined));
    assert.equal(chats.all.length, 1);
    await chats.leave();
    chats.dispose();
    leases.dispose();
    await clock.advance(minute);
    assert.equal(clock.waits.length, timersBefore);
    assert.deepEqual(await leaseFiles.names(), []);
    await folder.dispose();
  }).timeout(20_000);
});
