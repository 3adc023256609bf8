import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OwnerFile } from '../../../../src/host/node/ownerFile.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';

describe('OwnerFile', () => {
  it('is replaced as a whole, and only its owner can read it', async () => {
    const folder = await TemporaryFolder.create();
    try {
      const path = join(folder.path, 'own', 'heads.json');
      const file = new OwnerFile(path);
      assert.equal(await file.read(), undefined);
      await file.write('one');
      // Another window may write at the same moment.
      await Promise.all([file.write('two'), new OwnerFile(path).write('two')]);
      assert.equal(await file.read(), 'two');
      assert.deepEqual(await readdir(join(folder.path, 'own')), ['heads.json']);
      if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600);
    } finally {
      await folder.dispose();
    }
  });
});
