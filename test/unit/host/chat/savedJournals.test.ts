import assert from 'node:assert/strict';
import { join } from 'node:path';
import { JournalFiles } from '../../../../src/host/chat/journalFiles.ts';
import { diskJournals } from '../../../support/diskJournals.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

const adapters: readonly (readonly [string, (folder: string) => JournalFiles])[] = [
  ['files', diskJournals],
  ['segments', (folder) => new JournalFiles(virtualFiles(folder))],
];

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
