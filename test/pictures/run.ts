/**
 * Updates every picture of the README, the guide and the walkthrough from the packaged extension:
 * `npm run pictures`. `--walkthrough` limits it to the walkthrough. All are taken in a dark and a
 * light theme. The animation needs an idle machine, since it shows real waiting times.
 */
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { outFolder, projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';

/** Screenshots of journeys, by the names of the pictures in `media`, each also with `-light`. */
const screenshots = {
  chat: 'explain-a-selection-and-fix-it--1-explained',
  tools: 'fix-a-failing-test--2-shows-the-diff',
  edit: 'edit-and-decide-hunk-by-hunk--1-to-decide',
  usage: 'nothing-yet-then-a-month--3-days',
};
const media = join(projectFolder, 'media');

const { walkthrough } = parseArgs({
  options: { walkthrough: { type: 'boolean', default: false } },
}).values;
if (!walkthrough) {
  await takePictures('-light', '--light');
  await takePictures('');
}
await takeWalkthrough('--light');
await takeWalkthrough();
if (!walkthrough) await run('test/pictures/film.ts', join(media, 'aside.webp'));
console.log('Look at every picture in media before you commit them.');

/** Takes the pictures in one theme. `suffix` is appended to the file names. */
async function takePictures(suffix: string, ...parameters: readonly string[]): Promise<void> {
  await run('test/journeys/run.ts', 'selection', 'tools', 'review', 'usage', ...parameters);
  for (const [name, screenshot] of Object.entries(screenshots)) {
    const picture = join(outFolder, `screenshots/${screenshot}.png`);
    await copyFile(picture, join(media, `${name}${suffix}.png`));
  }
}

async function takeWalkthrough(...parameters: readonly string[]): Promise<void> {
  const folder = join(outFolder, 'walkthrough');
  await rm(folder, { recursive: true, force: true });
  await run('test/journeys/run.ts', 'walkthrough', 'usage', ...parameters);
  await mkdir(join(media, 'walkthrough'), { recursive: true });
  for (const file of await readdir(folder))
    await copyFile(join(folder, file), join(media, 'walkthrough', file));
}

async function run(...command: readonly [string, ...string[]]): Promise<void> {
  const code = await runCommand(process.execPath, command, { folder: projectFolder });
  if (code !== 0) throw new Error(`${command[0]} failed.`);
}
