import assert from 'node:assert/strict';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskJournals } from '../../../support/diskJournals.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';

/** Windows has no such permissions: there, only the user can access the user's folder. */
const hasPermissions = process.platform !== 'win32';

async function assertOwnerOnly(path: string): Promise<void> {
  const { mode } = await stat(path);
  if (hasPermissions) assert.equal(mode & 0o077, 0, `${path}: ${mode.toString(8)}`);
}

describe('a file that Aside stores', () => {
  let folder: TemporaryFolder;
  let before: number;
  beforeEach(async () => {
    folder = await TemporaryFolder.create();
    // Without it, new files are accessible to everyone.
    before = process.umask(0);
  });
  afterEach(async () => {
    process.umask(before);
    await folder.dispose();
  });

  it('is accessible only to its owner, as are the folders above it', async () => {
    const chats = join(folder.path, 'storage/chats');
    await diskJournals(chats).append('c', 'line\n');
    await assertOwnerOnly(join(folder.path, 'storage'));
    await assertOwnerOnly(chats);
    await assertOwnerOnly(join(chats, 'c.jsonl'));
  });

  it('is restricted if it existed before', async () => {
    const chats = join(folder.path, 'chats');
    await mkdir(chats, { mode: 0o777 });
    await writeFile(join(chats, 'c.jsonl'), 'old\n', { mode: 0o666 });
    const storage = diskJournals(chats);
    await storage.append('c', 'line\n');
    await assertOwnerOnly(join(chats, 'c.jsonl'));
    assert.equal(await storage.read('c'), 'old\nline\n');
    await new DiskFiles(chats).prepare();
    await assertOwnerOnly(chats);
  });

  it('is inaccessible in a folder of the owner, whoever writes there later', async () => {
    const storage = join(folder.path, 'storage');
    await new DiskFiles(storage).prepare();
    await mkdir(join(storage, 'changes'));
    await assertOwnerOnly(storage);
    await chmod(storage, 0o755);
    await new DiskFiles(storage).prepare();
    await assertOwnerOnly(storage);
  });
});
