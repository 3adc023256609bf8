import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JournalFiles } from '../../../../src/host/chat/journalFiles.ts';
import { SavedChats, type SavedChat } from '../../../../src/host/history/savedChats.ts';
import { diskJournals } from '../../../support/diskJournals.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';
import { chatOf, MemoryText } from '../history/memoryJournals.ts';

const adapters: readonly (readonly [string, (folder: string) => JournalFiles])[] = [
  ['files', diskJournals],
  ['segments', (folder) => new JournalFiles(virtualFiles(folder))],
];

describe('a folder of journals with what is no journal in it', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await TemporaryFolder.create();
  });
  afterEach(() => folder.dispose());

  it('has the chats and no errors, and nothing waits for what never ends', async () => {
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
    const chats = new SavedChats({ journals: storage, cache: new MemoryText(), onError });
    let first: readonly SavedChat[] = [];
    const all = await chats.read((early) => (first = early));
    for (const found of [first, all])
      assert.deepEqual(
        found.map(({ id }) => id),
        ['good'],
      );
    assert.deepEqual(errors, []);
  });
});

for (const [name, create] of adapters)
  describe(`journals as ${name}`, () => {
    let folder: TemporaryFolder;
    let storage: JournalFiles;
    beforeEach(async () => {
      folder = await TemporaryFolder.create();
      storage = create(join(folder.path, 'chats'));
    });
    afterEach(() => folder.dispose());

    it('are none before the first is written', async () => {
      assert.deepEqual(await storage.list(), []);
      assert.equal(await storage.read('a'), undefined);
      assert.equal(await storage.status('a'), undefined);
    });

    it('are listed, and read as they were written', async () => {
      await storage.append('a', 'one\n');
      await storage.append('b', 'other\n');
      await storage.append('a', 'zwölf\n', true);
      assert.deepEqual((await storage.list()).toSorted(), ['a', 'b']);
      const lines = (await storage.read('a'))?.split('\n').filter((line) => line !== '');
      assert.deepEqual(lines, ['one', 'zwölf']);
    });

    it('tell their size in bytes, and when they were last written', async () => {
      const start = Date.now() - 5000;
      await storage.append('a', 'one\n');
      const before = await storage.status('a');
      assert.equal(before?.size, 4);
      await storage.append('a', 'zwölf\n');
      const after = await storage.status('a');
      assert.equal(after?.size, 11);
      assert.ok(after.modified >= before.modified && before.modified > start);
    });

    it('are not begun again where one was removed', async () => {
      await assert.rejects(storage.append('a', 'one\n', true));
      assert.deepEqual(await storage.list(), []);
    });
  });
