import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitToMeasure, outdated } from '../bench/measuredCommit.ts';
import { commitAll, gitIn } from '../support/gitIn.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';

describe('the commit of the benchmarks', () => {
  let temporary: TemporaryFolder;
  let repository: string;
  /** The first of three commits. */
  let measured: string;

  before(async () => {
    temporary = await TemporaryFolder.create();
    repository = join(temporary.path, 'repository');
    mkdirSync(repository);
    writeFileSync(join(repository, 'a.txt'), 'one');
    commitAll(repository, 'one');
    measured = commitToMeasure(repository);
    for (const name of ['two', 'three'])
      gitIn(repository, 'commit', '--quiet', '--allow-empty', `--message=${name}`);
  });
  after(() => temporary.dispose());

  it('may be as far behind as allowed, but no further', () => {
    assert.equal(outdated(pageOf(measured), repository, 2), undefined);
    assert.match(outdated(pageOf(measured), repository, 1) ?? '', /2 commits ago/);
  });

  it('counts from the merge base for a commit of another branch', () => {
    const tree = `${measured}^{tree}`;
    const side = gitIn(repository, 'commit-tree', '-p', measured, '-m', 'side', tree).trim();
    assert.equal(outdated(pageOf(side), repository, 2), undefined);
    assert.match(outdated(pageOf(side), repository, 1) ?? '', /2 commits ago/);
  });

  it('counts all commits if the history lacks that commit', () => {
    assert.equal(outdated(pageOf('0123456789ab'), repository, 3), undefined);
    assert.match(outdated(pageOf('0123456789ab'), repository, 2) ?? '', /3 commits ago/);
  });

  it('need not exist if there is no history', () => {
    const shallow = join(temporary.path, 'shallow');
    const unpacked = join(temporary.path, 'unpacked');
    const inside = join(repository, 'unpacked');
    for (const folder of [unpacked, inside]) mkdirSync(folder);
    gitIn(repository, 'clone', '--quiet', '--depth=1', `file://${repository}`, shallow);
    for (const folder of [shallow, unpacked, inside]) {
      assert.equal(outdated(pageOf('0123456789ab'), folder, 0), undefined);
      assert.match(outdated('Measured on a processor.\n', folder, 0) ?? '', /names no commit/);
    }
  });

  it("can't be determined after uncommitted changes, or without a history", () => {
    writeFileSync(join(repository, 'b.txt'), 'not tracked');
    assert.equal(commitToMeasure(repository).length, 12);
    writeFileSync(join(repository, 'a.txt'), 'two');
    assert.throws(() => commitToMeasure(repository), /commit what has changed/);
    assert.throws(() => commitToMeasure(temporary.path), /no history/);
  });
});

function pageOf(commit: string): string {
  return `Before\n\nMeasured at commit ${commit} on a processor, 2 cores.\n`;
}
