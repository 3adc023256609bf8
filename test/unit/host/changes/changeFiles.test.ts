import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChangeFiles } from '../../../../src/host/changes/changeFiles.ts';
import type { KeptFiles } from '../../../../src/host/keptFiles.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

const kinds: readonly (readonly [string, (folder: string) => KeptFiles])[] = [
  ['on the disk', (folder) => new DiskFiles(folder)],
  ['without a disk', virtualFiles],
];

for (const [kind, open] of kinds)
  describe(`texts from before changes, ${kind}`, () => {
    let folder: TemporaryFolder;
    let files: ChangeFiles;
    beforeEach(async () => {
      folder = await TemporaryFolder.create();
      files = new ChangeFiles(open(folder.path));
    });
    afterEach(() => folder.dispose());

    it('are kept with their byte order marks and line ends, a folder per turn', async () => {
      const text = '\ufeffone\r\ntwo\n';
      assert.equal(await files.read('c/t/1.before.txt'), undefined);
      await files.write('c/t/1.before.txt', 'other');
      await files.write('c/t/1.before.txt', text);
      assert.equal(await files.read('c/t/1.before.txt'), text);
      assert.deepEqual(await readdir(join(folder.path, 'c/t')), ['1.before.txt']);
    });

    it('are measured by turn, whatever else is there', async () => {
      assert.deepEqual(await files.turns(), []);
      await files.write('c/t/1.before.txt', 'zwölf');
      await files.write('c/t/changes.json', '{}');
      await files.write('c/u/changes.json', '[]');
      await writeFile(join(folder.path, '.DS_Store'), '');
      await writeFile(join(folder.path, 'c/.DS_Store'), '');
      await mkdir(join(folder.path, 'c/t/foreign'));
      const turns = await files.turns();
      const sizes = turns.map(({ chat, turn, size }) => [chat, turn, size]);
      assert.deepEqual(sizes, [
        ['c', 't', 8],
        ['c', 'u', 2],
      ]);
      assert.ok(turns.every(({ writtenAt }) => Math.abs(Date.now() - writtenAt) < 60_000));
    });

    it("leave no folder when removed, and don't affect other turns", async () => {
      for (const turn of ['c/t', 'c/u', 'd/t']) await files.write(`${turn}/changes.json`, '{}');
      await files.remove({ chat: 'c', turn: 't', size: 2, writtenAt: 0 });
      await files.remove({ chat: 'c', turn: 't', size: 2, writtenAt: 0 });
      assert.deepEqual(await readdir(join(folder.path, 'c')), ['u']);
      await files.remove({ chat: 'c', turn: 'u', size: 2, writtenAt: 0 });
      assert.deepEqual(await readdir(folder.path), ['d']);
      await files.removeChat('d');
      await files.removeChat('d');
      assert.deepEqual(await readdir(folder.path), []);
    });
  });
