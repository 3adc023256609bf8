import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { readZip } from '../../zip.js';
import { findPackage } from '../support/findPackage.ts';

/** 900 KB, as the packager counts them. */
const most = 900 * 1024;

describe('the package', () => {
  it('is quickly downloaded', async () => {
    const { size } = await stat(await findPackage());
    assert.ok(size <= most, `${size} bytes`);
  });

  it('has the licences of what is bundled, and no sources', async () => {
    const names = readZip(await readFile(await findPackage())).map(({ name }) => name);
    assert.ok(names.includes('extension/dist/ThirdPartyNotices.txt'), names.join());
    const others = names.filter((name) =>
      /\.(?:ts|tsx|map)$|node_modules|\/(?:src|test|docs)\//.test(name),
    );
    assert.deepEqual(others, []);
  });
});
