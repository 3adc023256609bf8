import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JournalFiles } from '../../../../src/host/chat/journalFiles.ts';
import type { KeptFiles } from '../../../../src/host/platform/keptFiles.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import {
  ChatTrash,
  eraseExpired,
  trashTime,
  type DeletedChat,
} from '../../../../src/host/chat/trash.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

type Stored = ReturnType<typeof storedIn>;

function storedIn(files: KeptFiles) {
  return { storage: new JournalFiles(files.folder('chats')), trash: new ChatTrash(files) };
}

const kinds: Readonly<Record<string, (folder: string) => Stored>> = {
  'on the disk': (folder) => storedIn(new DiskFiles(folder)),
  'without a disk': (folder) => storedIn(virtualFiles(folder)),
};

/** The texts of all files below a folder. */
async function textsIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

function sure<T>(value: T | undefined): T {
  assert.ok(value !== undefined);
  return value;
}

for (const [kind, create] of Object.entries(kinds)) {
  describe(`deleted chats ${kind}`, () => {
    let folder: TemporaryFolder;
    let stored: Stored;
    const forgotten: string[] = [];
    const forget = (id: string): Promise<void> => {
      forgotten.push(id);
      return Promise.resolve();
    };

    beforeEach(async () => {
      folder = await TemporaryFolder.create();
      stored = create(folder.path);
      forgotten.length = 0;
    });
    afterEach(() => folder.dispose());

    const remove = async (id: string, at: number): Promise<DeletedChat> =>
      sure(await stored.trash.remove(id, at));

    it('are no longer listed, and are restored unchanged', async () => {
      const { storage, trash } = stored;
      await storage.append('one', 'first\n');
      await storage.append('one', 'second\n', true);
      await storage.append('two', 'other\n');
      const before = await storage.read('one');
      assert.ok((await trash.size('one')) >= 'first\nsecond\n'.length);

      const chat = await remove('one', 1000);
      assert.deepEqual(await storage.list(), ['two']);
      assert.equal(await storage.read('one'), undefined);
      assert.equal(await trash.size('one'), 0);
      assert.deepEqual(await trash.deleted(), [{ id: 'one', at: 1000 }]);
      assert.equal(await trash.read(chat), before);
      await assert.rejects(storage.append('one', 'third\n', true));

      await trash.restore(chat);
      assert.deepEqual([...(await storage.list())].sort(), ['one', 'two']);
      assert.equal(await storage.read('one'), before);
      assert.deepEqual(await trash.deleted(), []);
      await storage.append('one', 'third\n', true);
      assert.match((await storage.read('one')) ?? '', /first\n\n?second\n\n?third\n$/);
    });

    it('do not overwrite another chat with their id', async () => {
      const { storage, trash } = stored;
      await storage.append('one', 'old\n');
      const chat = await remove('one', 1000);
      await storage.append('one', 'new\n');
      await assert.rejects(trash.restore(chat));
      assert.equal(await storage.read('one'), 'new\n');
      assert.equal(await trash.read(chat), 'old\n');
    });

    it('are erased after 30 days, with all of their data', async () => {
      const { storage, trash } = stored;
      await storage.append('old', 'rosebud\n');
      await storage.append('new', 'sled\n');
      await remove('old', 5000);
      await remove('new', 6000);
      await eraseExpired(trash, forget, 5000 + trashTime - 1);
      assert.deepEqual(forgotten, []);
      const ids = (await trash.deleted()).map(({ id }) => id);
      assert.deepEqual(ids, ['new', 'old'], 'the newest first');

      await eraseExpired(trash, forget, 5000 + trashTime);
      assert.deepEqual(forgotten, ['old']);
      assert.deepEqual(await trash.deleted(), [{ id: 'new', at: 6000 }]);
      const remaining = await textsIn(folder.path);
      assert.ok(remaining.includes('sled') && !remaining.includes('rosebud'));
      await trash.erase({ id: 'old', at: 5000 });
    });

    it("stay in the trash if their other data can't be removed, without blocking others", async () => {
      const { storage, trash } = stored;
      for (const [at, id] of ['a', 'b', 'c'].entries()) {
        await storage.append(id, 'rosebud\n');
        await remove(id, at);
      }
      const failing = (id: string): Promise<void> =>
        id === 'b' ? Promise.reject(new Error('busy')) : Promise.resolve();
      await assert.rejects(eraseExpired(trash, failing, trashTime + 2), /busy/);
      assert.deepEqual(await trash.deleted(), [{ id: 'b', at: 1 }]);
    });
  });
}

describe('deleted chats on the disk', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await TemporaryFolder.create();
  });
  afterEach(() => folder.dispose());

  it('include copies of a damaged journal, and restore them', async () => {
    const chats = join(folder.path, 'chats');
    const { storage, trash } = storedIn(new DiskFiles(folder.path));
    await storage.append('one', 'rosebud\n');
    await storage.setAside('one');
    await storage.append('one-more', 'sled\n');
    const before = (await readdir(chats)).sort();
    assert.equal(before.length, 3);
    const chat = sure(await trash.remove('one', 7));
    assert.deepEqual(await readdir(chats), ['one-more.jsonl']);
    await trash.restore(chat);
    assert.deepEqual((await readdir(chats)).sort(), before);
    await trash.erase(sure(await trash.remove('one', 8)));
    assert.ok(!(await textsIn(folder.path)).includes('rosebud'));
  });
});
