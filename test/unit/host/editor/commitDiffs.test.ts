import assert from 'node:assert/strict';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { repositoryAround } = await withoutVsCode(
  () => import('../../../../src/host/editor/commitDiffs.ts'),
);

describe('the repository around a file', () => {
  const repositories = ['/work', '/work/lib', '/other'].map((path) => ({ rootUri: { path } }));

  it('is the innermost one', () => {
    assert.equal(repositoryAround(repositories, '/work/lib/a.ts'), repositories[1]);
    assert.equal(repositoryAround(repositories, '/work/library/a.ts'), repositories[0]);
    assert.equal(repositoryAround(repositories, '/other'), repositories[2]);
  });

  it('is undefined for a file outside all repositories', () => {
    assert.equal(repositoryAround(repositories, '/elsewhere/a.ts'), undefined);
  });
});
