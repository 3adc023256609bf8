import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { JournalFiles } from '../../../src/host/chat/journalFiles.ts';
import { ChatTrash } from '../../../src/host/chat/trash.ts';
import type { KeptFiles } from '../../../src/host/platform/keptFiles.ts';
import { DiskFiles } from '../../../src/host/node/diskFiles.ts';
import { TemporaryFolder } from '../../support/temporaryFolder.ts';
import { virtualFiles } from '../../support/virtualFiles.ts';

/** Files of versions from before the common interface for files. */
const anywhere = {
  'heads.json': '{"version":1}',
  'leases/one.3.json': '{"writer":"w"}',
  'changes/one/t/changes.json': '[]',
  'changes/one/t/1.before.txt': 'before\r\n',
};

interface Kind {
  readonly open: (folder: string) => KeptFiles;
  /** Texts by path, as the earlier version left them. */
  readonly before: Readonly<Record<string, string>>;
  /** Additional paths after all of them were used. Writers of segments are `W`. */
  readonly after: readonly string[];
}

const kinds: Readonly<Record<string, Kind>> = {
  'on the disk': {
    open: (folder) => new DiskFiles(folder),
    before: {
      ...anywhere,
      'chats/one.jsonl': 'a\nb\n',
      'chats/one.jsonl.corrupt-2030-01-31T11-22-33.444Z': 'damaged\n',
      'chats/torn.jsonl': 'a\nb\n{"ha',
      'deleted/5-two/two.jsonl': 'c\n',
      'deleted/5-two/two.jsonl.corrupt-2030-01-31T11-22-33.444Z': 'damaged\n',
      'usage/2030-01-31.jsonl': '\nx\n\ny\n',
      'leases/0b0a61a1-6c4b-4f83-9d3c-0a8a5b1f1d11.tmp': '{"wri',
    },
    after: [
      'chats/new.jsonl',
      'chats/torn.jsonl',
      'chats/two.jsonl',
      'chats/two.jsonl.corrupt-2030-01-31T11-22-33.444Z',
      'deleted/9-one/one.jsonl',
      'deleted/9-one/one.jsonl.corrupt-2030-01-31T11-22-33.444Z',
      'leases/0b0a61a1-6c4b-4f83-9d3c-0a8a5b1f1d11.tmp',
      'usage/2030-01-31.jsonl',
    ],
  },
  'without a disk': {
    open: virtualFiles,
    before: {
      ...anywhere,
      'chats/one/00000000.jsonl': 'a\n',
      'chats/one/00000004-abcdef12.jsonl': 'b\n',
      'chats/torn/00000000-abcdef12.jsonl': 'a\n',
      'chats/torn/00000001-abcdef12.jsonl': 'b\n{"ha',
      'deleted/5-two/00000000-abcdef12.jsonl': 'c\n',
      'usage/2030-01-31/00000000-abcdef12.jsonl': 'x',
      'usage/2030-01-31/00000000-bbcdef12.jsonl': 'y',
    },
    after: [
      'chats/new/00000006-W.jsonl',
      'chats/torn/00000000-W.jsonl',
      'chats/torn/00000001-W.jsonl',
      'chats/torn/00000007-W.jsonl',
      'chats/two/00000000-W.jsonl',
      'deleted/9-one/00000000.jsonl',
      'deleted/9-one/00000004-W.jsonl',
      'deleted/9-one/00000005-W.jsonl',
      'usage/2030-01-31/00000000-W.jsonl',
      'usage/2030-01-31/00000000-W.jsonl',
      'usage/2030-01-31/00000001-W.jsonl',
    ],
  },
};

for (const [kind, { open, before, after }] of Object.entries(kinds))
  describe(`files of older versions ${kind}`, () => {
    let folder: TemporaryFolder;
    let files: KeptFiles;
    beforeEach(async () => {
      folder = await TemporaryFolder.create();
      files = open(folder.path);
      for (const [path, text] of Object.entries(before)) {
        await mkdir(join(folder.path, dirname(path)), { recursive: true });
        await writeFile(join(folder.path, path), text);
      }
    });
    afterEach(() => folder.dispose());

    it('are read', async () => {
      const journals = new JournalFiles(files.folder('chats'));
      const trash = new ChatTrash(files);
      assert.deepEqual(await journals.list(), ['one', 'torn']);
      assert.equal(await journals.read('one'), 'a\nb\n');
      assert.equal((await journals.status('one'))?.size, 4);
      assert.deepEqual(await trash.deleted(), [{ id: 'two', at: 5 }]);
      assert.equal(await trash.read({ id: 'two', at: 5 }), 'c\n');
      assert.ok((await trash.size('one')) >= 4);
      const usage = await files.folder('usage').readOn('2030-01-31.jsonl');
      assert.deepEqual(usage?.text.split('\n').filter(Boolean), ['x', 'y']);
      assert.deepEqual(await files.folder('leases').names(), ['one.3.json']);
      assert.equal(await files.folder('leases').read('one.3.json'), '{"writer":"w"}');
      assert.equal(await files.read('heads.json'), '{"version":1}');
      assert.equal(await files.read('changes/one/t/1.before.txt'), 'before\r\n');
    });

    it('are continued in the same location and format', async () => {
      const journals = new JournalFiles(files.folder('chats'));
      const trash = new ChatTrash(files);
      await journals.append('one', 'c\n', true);
      await journals.append('new', 'a\n');
      await journals.append('torn', 'c\n', true);
      assert.equal(await journals.read('one'), 'a\nb\nc\n');
      assert.equal(await journals.read('torn'), 'a\nb\n{"ha\nc\n');
      const chat = await trash.remove('one', 9);
      assert.deepEqual(chat, { id: 'one', at: 9 });
      assert.equal(await trash.read(chat), 'a\nb\nc\n');
      await trash.restore({ id: 'two', at: 5 });
      assert.equal(await journals.read('two'), 'c\n');
      await files.folder('usage').append('2030-01-31.jsonl', 'z\n');
      const usage = await files.folder('usage').readOn('2030-01-31.jsonl');
      assert.deepEqual(usage?.text.split('\n').filter(Boolean), ['x', 'y', 'z']);
      assert.equal(await files.folder('leases').create('one.3.json', '{}'), false);
      await files.folder('leases').replace('one.3.json', '{}');
      await files.write('heads.json', '{}');
      await files.folder('changes').write('one/t/changes.json', '[{}]');
      const expected = [...Object.keys(anywhere), ...after].toSorted();
      assert.deepEqual(await pathsIn(folder.path), expected);
    });
  });

/** All file paths. Writers of segments are replaced by `W`. */
async function pathsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return paths.map((path) => path.replace(/(\/\d{8})-[\da-f]{8}\./, '$1-W.')).toSorted();
}
