import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { longFiles, mainJourneys } from '../../journeys/support/chosenJourneys.ts';
import { projectFolder } from '../../support/paths.ts';
import { versions } from '../../support/vscode/versions.ts';

const manifest = z.object({ engines: z.object({ vscode: z.string() }) });

describe('the hosts of tests', () => {
  it('include the oldest VS Code that the package allows', async () => {
    const text = await readFile(join(projectFolder, 'package.json'), 'utf8');
    const [, minor] = /^\^1\.(\d+)\.0$/.exec(manifest.parse(JSON.parse(text)).engines.vscode) ?? [];
    assert.ok(versions.oldest.startsWith(`4.${minor}.`), versions.oldest);
  });

  it('all run existing main journeys', async () => {
    for (const [file, title] of Object.entries(mainJourneys)) {
      const path = join(projectFolder, `test/journeys/${file}.journey.ts`);
      assert.ok((await readFile(path, 'utf8')).includes(`'${title}'`), title);
    }
    assert.equal(Object.keys(mainJourneys).length, 5);
  });

  it('have only existing journeys, and no main ones, in the longer run', async () => {
    for (const file of longFiles) {
      await access(join(projectFolder, `test/journeys/${file}.journey.ts`));
      assert.ok(!(file in mainJourneys), file);
    }
  });
});
