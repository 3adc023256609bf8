import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { chosenJourneys, mainJourneys } from '../../journeys/support/chosenJourneys.ts';
import { projectFolder } from '../../support/paths.ts';
import { versions } from '../../support/vscode/versions.ts';

const manifest = z.object({ engines: z.object({ vscode: z.string() }) });

describe('the hosts of tests', () => {
  it('include the oldest VS Code that the package allows', async () => {
    const text = await readFile(join(projectFolder, 'package.json'), 'utf8');
    const [, minor] = /^\^1\.(\d+)\.0$/.exec(manifest.parse(JSON.parse(text)).engines.vscode) ?? [];
    assert.ok(versions.oldest.startsWith(`4.${minor}.`), versions.oldest);
  });

  it('run existing journeys from the lists', async () => {
    for (const list of [chosenJourneys, mainJourneys])
      for (const [file, title] of Object.entries(list)) {
        const path = join(projectFolder, `test/journeys/${file}.journey.ts`);
        assert.ok((await readFile(path, 'utf8')).includes(`'${title}'`), title);
      }
    assert.equal(Object.keys(chosenJourneys).length, 12);
  });
});
