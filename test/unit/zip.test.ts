import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { readZip, writeZip, type ZippedFile } from '../../zip.js';
import { projectFolder } from '../support/paths.ts';
import { runs } from '../support/sample.ts';

const files = fc.array(
  fc.record(
    {
      name: fc.string({ minLength: 1, unit: 'grapheme' }),
      contents: fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        fc.string().map((text) => Buffer.from(text.repeat(50))),
      ),
      date: fc.nat(),
      attributes: fc.nat(),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 6 },
);

describe('a ZIP file', () => {
  it('is written without a listener that ends the process where a promise fails', async () => {
    const count = (): number =>
      process.listenerCount('unhandledRejection') + process.listenerCount('uncaughtException');
    const before = count();
    await writeZip([{ name: 'a', contents: Buffer.from('a'), date: 0, attributes: 0 }]);
    assert.equal(count(), before);
  });

  it('holds what was put into it', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (given) => {
        assert.deepEqual(readZip(await writeZip(given)), given);
      }),
      { numRuns: runs(50) },
    );
  });

  it('is shorter than by other means, and stores what cannot be made shorter', async () => {
    const contents = await readFile(join(projectFolder, 'package.json'));
    const file: ZippedFile = { name: 'a', contents, date: 0, attributes: 0 };
    const { length } = await writeZip([file]);
    assert.ok(length < deflateRawSync(contents, { level: 9 }).length, `${length}`);
    const short = { ...file, contents: Buffer.from('ab') };
    assert.equal((await writeZip([short])).length, 30 + 46 + 22 + 2 + 2);
  });
});
