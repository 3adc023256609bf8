import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { findPackage } from '../support/findPackage.ts';

/** 990 KB, as the packager counts them. */
const most = 990 * 1024;

describe('the package', () => {
  it('is quickly downloaded', async () => {
    const { size } = await stat(await findPackage());
    assert.ok(size <= most, `${size} bytes`);
  });
});
