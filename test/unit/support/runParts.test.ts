import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectFolder } from '../../support/paths.ts';
import { checkSecondTries, runParts, type Part, type PartResult } from '../../support/runParts.ts';
import { TemporaryFolder } from '../../support/temporaryFolder.ts';

describe('the parts of a run', () => {
  let folder: TemporaryFolder;
  before(async () => (folder = await TemporaryFolder.create()));
  after(() => folder.dispose());

  it('wait for the part that they need, and are not run if that failed', async () => {
    const results = await runParts([
      part('failing', 'process.exitCode = 1'),
      { ...part('of the failing'), needs: 'failing' },
      { ...part('of the passing'), needs: 'passing' },
      part('passing'),
    ]);
    assert.deepEqual(results.map(({ name, failed }) => [name, failed]).toSorted(), [
      ['failing', 1],
      ['of the passing', 0],
      ['passing', 0],
    ]);
  });

  it('fail together if more than two tests needed a second try', () => {
    const withTries = (count: number): PartResult => ({
      name: 'journeys',
      output: '  Second try: a journey\n    Error: too late\n'.repeat(count),
      passed: 1,
      failed: 0,
    });
    const failedWith = (...counts: readonly number[]): number =>
      checkSecondTries(counts.map(withTries)).failed;
    assert.deepEqual([failedWith(0, 0), failedWith(1, 1), failedWith(2, 1)], [0, 0, 1]);
  });

  function part(name: string, script = ''): Part {
    const file = join(folder.path, `${name.replaceAll(' ', '-')}.ts`);
    writeFileSync(file, script);
    return { name, run: [relative(projectFolder, file)], printsCount: false };
  }
});
