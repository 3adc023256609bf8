import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectFolder } from '../../support/paths.ts';
import { runParts, type Part } from '../../support/runParts.ts';
import { TemporaryFolder } from '../../support/temporaryFolder.ts';

describe('the parts of a run', () => {
  let folder: TemporaryFolder;
  before(async () => (folder = await TemporaryFolder.create()));
  after(() => folder.dispose());

  it('all run, also after one that failed', async () => {
    const results = await runParts([
      part('failing', 'process.exitCode = 1'),
      part('passing'),
      part('last'),
    ]);
    assert.deepEqual(results.map(({ name, failed }) => [name, failed]).toSorted(), [
      ['failing', 1],
      ['last', 0],
      ['passing', 0],
    ]);
  });

  function part(name: string, script = ''): Part {
    const file = join(folder.path, `${name.replaceAll(' ', '-')}.ts`);
    writeFileSync(file, script);
    return { name, run: [relative(projectFolder, file)], printsCount: false };
  }
});
