import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SavedChat, ChatHeads } from '../../../../src/host/chat/chatHeads.ts';
import { diskJournals } from '../../../support/diskJournals.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { chatOf, MemoryText } from './memoryJournals.ts';
import { JournalFiles } from '../../../../src/host/chat/journalFiles.ts';
import { ChatLocks } from '../../../../src/host/chat/chatLocks.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

describe('a folder of journals with other files', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await TemporaryFolder.create();
  });
  afterEach(() => folder.dispose());

  it('lists the chats without errors or hanging', async () => {
    const path = (name: string): string => join(folder.path, name);
    const storage = diskJournals(folder.path);
    await writeFile(path('good.jsonl'), chatOf('good', 'Why?'));
    await writeFile(path('empty.jsonl'), '');
    await writeFile(path('words.jsonl'), 'Hello\n'.repeat(1000));
    await writeFile(path('two words.jsonl'), chatOf('x', 'Why?'));
    await writeFile(path('a$(trash)\n.jsonl'), chatOf('x', 'Why?'));
    await writeFile(path('.jsonl'), chatOf('x', 'Why?'));
    await mkdir(path('folder.jsonl'));
    if (process.platform !== 'win32') {
      await symlink('/dev/zero', path('zero.jsonl'));
      await promisify(execFile)('mkfifo', [path('pipe.jsonl')]);
    }
    const huge = await open(path('huge.jsonl'), 'w');
    await huge.truncate(3_000_000_000);
    await huge.close();
    const errors: string[] = [];
    const onError = (what: string, error: unknown): void =>
      void errors.push(`${what} ${String(error)}`);
    const chats = new ChatHeads({ journals: storage, cache: new MemoryText(), onError });
    let first: readonly SavedChat[] = [];
    const all = await chats.read((early) => (first = early));
    for (const saved of [first, all])
      assert.deepEqual(
        saved.map(({ id }) => id),
        ['good'],
      );
    assert.deepEqual(errors, []);
  });
});

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
