import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { findPackage } from '../support/findPackage.ts';

/** 990 KB, as vsce counts them. */
const most = 990 * 1024;

describe('the package', () => {
  it('has at most 990 KB', async () => {
    const { size } = await stat(await findPackage());
    assert.ok(size <= most, `${size} bytes`);
  });
});
