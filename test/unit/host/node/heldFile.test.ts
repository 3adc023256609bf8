import assert from 'node:assert/strict';
import { open, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { HeldFile } from '../../../../src/host/node/heldFile.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';

describe('a held file', () => {
  let folder: TemporaryFolder;
  let path: string;
  let held: HeldFile;
  let opened: FileHandle[];
  let closed: number;

  beforeEach(async () => {
    folder = await TemporaryFolder.create();
    path = join(folder.path, 'lines.jsonl');
    opened = [];
    closed = 0;
    held = new HeldFile(path, () => (closed += 1));
  });
  afterEach(async () => {
    await held.close();
    await folder.dispose();
  });

  const openHere = async (): Promise<FileHandle> => {
    const file = await open(path, 'a+');
    opened.push(file);
    return file;
  };
  const append = (text: string): Promise<number> =>
    held.use(openHere, async (file, size) => {
      await file.write(text);
      return size;
    });

  it('is opened once, however often it is used, by one operation at a time', async () => {
    const sizes = await Promise.all(['a', 'bc', 'def'].map(append));
    assert.deepEqual(sizes, [0, 1, 3]);
    assert.equal(await readFile(path, 'utf8'), 'abcdef');
    assert.equal(opened.length, 1);
  });

  it('is the one at the path, even after that was removed or replaced', async () => {
    await append('a');
    await rm(path);
    assert.equal(await append('b'), 0);
    assert.equal(await readFile(path, 'utf8'), 'b');
    await writeFile(join(folder.path, 'other'), 'other ');
    await rename(join(folder.path, 'other'), path);
    assert.equal(await append('c'), 6);
    assert.equal(await readFile(path, 'utf8'), 'other c');
    assert.equal(opened.length, 3);
    for (const file of opened.slice(0, 2)) assert.equal(file.fd, -1, 'it is closed');
  });

  it('is used again after a failed operation', async () => {
    const failing = held.use(openHere, () => Promise.reject(new Error('no space')));
    await Promise.all([assert.rejects(failing, /no space/), append('a')]);
    assert.equal(await readFile(path, 'utf8'), 'a');
    const missing = new HeldFile(join(folder.path, 'missing'), () => undefined);
    const opening = (): Promise<FileHandle> => open(join(folder.path, 'missing'));
    await assert.rejects(
      missing.use(opening, () => Promise.resolve()),
      { code: 'ENOENT' },
    );
    await missing.close();
  });
});
