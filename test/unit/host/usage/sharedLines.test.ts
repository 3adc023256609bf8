import assert from 'node:assert/strict';
import { appendFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptFiles } from '../../../../src/host/keptFiles.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { sharedLines, type SharedLines } from '../../../../src/host/usage/sharedLines.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

let folder: TemporaryFolder;
const file = 'usage/2030-01-31.jsonl';
const path = (): string => join(folder.path, file);

/** Windows that share a folder which does not exist yet. */
function windowsOf(count: number, open: (folder: string) => KeptFiles): readonly SharedLines[] {
  return Array.from({ length: count }, () => sharedLines(open(folder.path), file));
}

const onDisk = (at: string): KeptFiles => new DiskFiles(at);

beforeEach(async () => {
  folder = await TemporaryFolder.create();
});
afterEach(() => folder.dispose());

for (const [where, open] of [
  ['on the disk', onDisk],
  ['in segments', virtualFiles],
] as const)
  describe(`lines that windows share, ${where}`, () => {
    it('are all kept where windows write at once, and each is read once', async () => {
      const windows = windowsOf(4, open);
      const lines = windows.map((_, window) =>
        Array.from({ length: 12 }, (__, line) => `${window} ${line} ${'é'.repeat(line * 20)}`),
      );
      await Promise.all(
        windows.map((window, index) =>
          Promise.all((lines[index] ?? []).map((line) => window.append(line))),
        ),
      );
      for (const window of windows) {
        assert.deepEqual((await window.next()).toSorted(), lines.flat().toSorted());
        assert.deepEqual(await window.next(), []);
      }
    });

    it('are none before the first, and go on after each that was read', async () => {
      const [one, other] = windowsOf(2, open);
      assert.ok(one && other);
      assert.deepEqual(await other.next(), []);
      await one.append('first');
      assert.deepEqual(await other.next(), ['first']);
      await other.append('second');
      await one.append('third');
      assert.deepEqual((await other.next()).toSorted(), ['second', 'third']);
      assert.deepEqual(await other.next(), []);
    });

    it('begin again where the folder was deleted', async () => {
      const [lines] = windowsOf(1, open);
      assert.ok(lines);
      await lines.append('a long first line');
      await lines.next();
      await rm(join(folder.path, 'usage'), { recursive: true });
      assert.deepEqual(await lines.next(), []);
      await lines.append('a line that is not shorter than the first');
      assert.deepEqual(await lines.next(), ['a line that is not shorter than the first']);
    });
  });

describe('lines that windows share', () => {
  it('have one order on a disk', async () => {
    const windows = windowsOf(3, onDisk);
    await Promise.all(
      windows.flatMap((window, index) =>
        [1, 2, 3].map((line) => window.append(`${index} ${line}`)),
      ),
    );
    const read = await Promise.all(windows.map((window) => window.next()));
    for (const seen of read) assert.deepEqual(seen, read[0]);
  });

  it('are read on a disk only when they are complete', async () => {
    const [one, other] = windowsOf(2, onDisk);
    assert.ok(one && other);
    await one.append('first');
    await appendFile(path(), 'sec');
    assert.deepEqual(await other.next(), ['first']);
    await appendFile(path(), 'ond\n');
    await one.append('third');
    assert.deepEqual(await other.next(), ['second', 'third']);
  });

  it('are not lost after one that a crash left unfinished', async () => {
    const [lines] = windowsOf(1, onDisk);
    assert.ok(lines);
    await lines.append('first');
    await appendFile(path(), '{"torn');
    await lines.append('second');
    assert.deepEqual(await lines.next(), ['first', '{"torn', 'second']);
  });

  it('end with the own ones, in order, where there is no order between windows', async () => {
    const [one, other] = windowsOf(2, virtualFiles);
    assert.ok(one && other);
    assert.deepEqual(await one.next(), []);
    const own = Array.from({ length: 12 }, (_, line) => `own ${line}`);
    for (const line of own) await one.append(line);
    await other.append('other');
    assert.deepEqual(await one.next(), ['other', ...own]);
    assert.equal((await readdir(join(folder.path, 'usage/2030-01-31'))).length, 13);
  });
});
