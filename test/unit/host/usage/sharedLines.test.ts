import assert from 'node:assert/strict';
import type { Uri } from 'vscode';
import * as z from 'zod/mini';
import { isObject } from '../../../../src/core/support/json.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/** The part of VS Code that segments use, with files in memory. */
const source = `
  export class FileSystemError extends Error {
    code = 'FileNotFound';
  }
  export const Uri = {
    joinPath: (folder, name) => ({ path: folder.path + '/' + name }),
  };
  const files = new Map();
  const writeFile = async ({ path }, bytes) => {
    if (files.has(path)) throw new Error('It would be overwritten.');
    files.set(path, bytes);
  };
  const readFile = async ({ path }) => files.get(path);
  const readDirectory = async ({ path }) => {
    const names = [...files.keys()].filter((file) => file.startsWith(path + '/'));
    if (names.length === 0) throw new FileSystemError();
    return names.map((file) => [file.slice(path.length + 1), 1]);
  };
  export const workspace = { fs: { writeFile, readFile, readDirectory } };
`;
const { SegmentLines } = await withFakeVsCode(
  source,
  () => import('../../../../src/host/usage/sharedLines.ts'),
);

const anyUri = z.custom<Uri>((value) => isObject(value));
let folders = 0;

/** Windows that share a folder which does not exist yet. */
function windowsOf(count: number): readonly InstanceType<typeof SegmentLines>[] {
  const folder = anyUri.parse({ path: `/usage/${folders++}` });
  return Array.from({ length: count }, () => new SegmentLines(folder));
}

describe('SegmentLines', () => {
  it('keeps every line of several windows that write at once, and reads each once', async () => {
    const windows = windowsOf(3);
    const lines = windows.map((_, window) =>
      Array.from({ length: 12 }, (__, line) => `${window} ${line}`),
    );
    await Promise.all(
      windows.map(async (window, index) =>
        Promise.all((lines[index] ?? []).map((line) => window.append(line))),
      ),
    );
    for (const window of windows) {
      assert.deepEqual((await window.next()).toSorted(), lines.flat().toSorted());
      assert.deepEqual(await window.next(), []);
    }
  });

  it('reads its own lines in order and after all others', async () => {
    const [one, other] = windowsOf(2);
    assert.ok(one && other);
    assert.deepEqual(await one.next(), []);
    for (let line = 0; line < 12; line++) await one.append(`own ${line}`);
    await other.append('other');
    const own = Array.from({ length: 12 }, (_, line) => `own ${line}`);
    assert.deepEqual(await one.next(), ['other', ...own]);
  });
});
