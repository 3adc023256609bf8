import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeExpired } from '../../../../src/host/tools/changeStore.ts';
import type { KeptFiles } from '../../../../src/host/platform/keptFiles.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

const day = 24 * 60 * 60 * 1000;
const half = 100_000_000;
const chats = (): Promise<readonly string[]> => Promise.resolve(['chat']);

/** Turns with their age and size, and those of them that stay. */
const cases: readonly (readonly [
  what: string,
  turns: Readonly<Record<string, readonly [age: number, size: number]>>,
  stay: readonly string[],
])[] = [
  [
    'older than thirty days',
    { 'chat/new': [0, 1], 'chat/old': [30 * day, 1], 'chat/older': [30 * day + 1, 1] },
    ['chat/new', 'chat/old'],
  ],
  [
    'of a deleted chat, but not of one that may be new',
    { 'other/begun': [day, 1], 'gone/t': [day + 1, 1] },
    ['other/begun'],
  ],
  [
    'beyond 200 MB in total, the oldest first',
    { 'chat/c': [3, 1], 'chat/a': [1, half], 'chat/b': [2, half], 'chat/d': [4, 0] },
    ['chat/a', 'chat/b'],
  ],
];

for (const [kind, open] of [
  ['on the disk', (folder: string): KeptFiles => new DiskFiles(folder)],
  ['without a disk', virtualFiles],
] as const)
  describe(`removing changes ${kind}`, () => {
    let folder: TemporaryFolder;
    let files: KeptFiles;
    beforeEach(async () => {
      folder = await TemporaryFolder.create();
      files = open(folder.path);
    });
    afterEach(() => folder.dispose());

    const left = async (): Promise<readonly string[]> => {
      const turns = (await files.folders()).map(async (chat) =>
        (await files.folders(chat)).map((turn) => `${chat}/${turn}`),
      );
      return (await Promise.all(turns)).flat();
    };

    for (const [what, turns, stay] of cases)
      it(`removes those ${what}`, async () => {
        const now = 100 * day;
        const status: KeptFiles['status'] = (file) => {
          const [age, size] = turns[file.slice(0, file.lastIndexOf('/'))] ?? [0, 0];
          return Promise.resolve({ modified: now - age, size });
        };
        for (const turn of Object.keys(turns)) await files.write(`${turn}/changes.json`, '{}');
        const aged = Object.assign(open(folder.path), { status });
        await removeExpired(aged, chats, now);
        assert.deepEqual((await left()).toSorted(), stay.toSorted());
        const folders = new Set(stay.map((turn) => turn.split('/')[0]));
        assert.deepEqual(new Set(await readdir(folder.path)), folders);
      });

    it('measures what is there, whatever else is, and removes a turn as a whole', async () => {
      await files.write('chat/t/1.before.txt', '\ufeffone\r\ntwo\n');
      await files.write('chat/t/changes.json', '{}');
      await writeFile(join(folder.path, '.DS_Store'), '');
      await mkdir(join(folder.path, 'chat/t/foreign'));
      await removeExpired(files, chats, Date.now() + 29 * day);
      assert.equal(await files.read('chat/t/1.before.txt'), '\ufeffone\r\ntwo\n');
      await removeExpired(files, chats, Date.now() + 31 * day);
      assert.deepEqual(await readdir(folder.path), ['.DS_Store']);
    });

    it('removes nothing if the chats cannot be listed', async () => {
      await files.write('chat/t/changes.json', '{}');
      const broken = (): Promise<never> => Promise.reject(new Error('EIO'));
      await assert.rejects(removeExpired(files, broken, Date.now() + 31 * day), /EIO/);
      assert.deepEqual(await left(), ['chat/t']);
    });
  });
