import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { findPackage } from '../support/findPackage.ts';

const most = 480_000;

/** The names in the directory at the end of a ZIP file. */
function namesIn(zip: Buffer): readonly string[] {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  const names: string[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const start = at + 46;
    names.push(zip.toString('utf8', start, start + (name ?? 0)));
    at = start + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return names;
}

describe('the package', () => {
  it('is quickly downloaded', async () => {
    const { size } = await stat(await findPackage());
    assert.ok(size <= most, `${size} bytes`);
  });

  it('has the licences of what is bundled, and no sources', async () => {
    const names = namesIn(await readFile(await findPackage()));
    assert.ok(names.includes('extension/dist/ThirdPartyNotices.txt'), names.join());
    const others = names.filter((name) =>
      /\.(?:ts|tsx|map)$|node_modules|\/(?:src|test|docs)\//.test(name),
    );
    assert.deepEqual(others, []);
  });
});
