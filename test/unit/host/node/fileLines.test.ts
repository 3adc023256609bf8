import assert from 'node:assert/strict';
import { appendFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FileLines } from '../../../../src/host/node/fileLines.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';

describe('FileLines', () => {
  let folder: TemporaryFolder;
  let path: string;

  beforeEach(async () => {
    folder = await TemporaryFolder.create();
    path = join(folder.path, 'usage', '2030-01-31.jsonl');
  });

  afterEach(() => folder.dispose());

  it('keeps every line of several windows that write at once, whole and in one order', async () => {
    const windows = Array.from({ length: 4 }, () => new FileLines(path));
    const lines = windows.map((_, window) =>
      Array.from({ length: 30 }, (__, line) => `${window} ${line} ${'é'.repeat(line * 20)}`),
    );
    await Promise.all(
      windows.map((window, index) =>
        Promise.all((lines[index] ?? []).map((line) => window.append(line))),
      ),
    );
    const read = await Promise.all(windows.map((window) => window.next()));
    for (const seen of read) {
      assert.deepEqual(seen.toSorted(), lines.flat().toSorted());
      assert.deepEqual(seen, read[0]);
    }
  });

  it('reads each line once, and a line only when it is complete', async () => {
    const [one, other] = [new FileLines(path), new FileLines(path)];
    assert.deepEqual(await other.next(), []);
    await one.append('first');
    assert.deepEqual(await other.next(), ['first']);
    assert.deepEqual(await other.next(), []);
    await appendFile(path, 'sec');
    assert.deepEqual(await other.next(), []);
    await appendFile(path, 'ond\n');
    await one.append('third');
    assert.deepEqual(await other.next(), ['second', 'third']);
  });

  it('loses no line after one that a crash left unfinished', async () => {
    const lines = new FileLines(path);
    await lines.append('first');
    await appendFile(path, '{"torn');
    await lines.append('second');
    assert.deepEqual(await lines.next(), ['first', '{"torn', 'second']);
  });

  it('begins again where the file was deleted', async () => {
    const lines = new FileLines(path);
    await lines.append('a long first line');
    await lines.next();
    await rm(dirname(path), { recursive: true });
    assert.deepEqual(await lines.next(), []);
    await lines.append('new');
    assert.deepEqual(await lines.next(), ['new']);
  });

  it('lets nobody but its owner read the file', async function () {
    if (process.platform === 'win32') return;
    await new FileLines(path).append('a');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(dirname(path))).mode & 0o777, 0o700);
  });
});
