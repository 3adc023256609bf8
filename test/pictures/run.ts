/**
 * Renews every picture of README, guide and walkthrough from the packaged extension: `npm run pictures`.
 * The moving picture needs an idle machine, since it shows what a person would wait for.
 */
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { outFolder, projectFolder } from '../support/paths.ts';
import { runCommand } from '../support/runCommand.ts';

/** Screenshots of journeys, by the names of the pictures in `media`, each also with `-light`. */
const screenshots = {
  chat: 'ask-about-a-selection--3-answered',
  tools: 'the-test-fails-fix-it--2-shows-the-diff',
  edit: 'edit-and-decide-hunk-by-hunk--1-to-decide',
  usage: 'nothing-yet-then-a-month--3-days',
};
const media = join(projectFolder, 'media');

await takePictures('-light', '--light');
// The last one, since the picture of the usage is also one of the walkthrough.
await takePictures('');
await takeWalkthrough();
await run('test/pictures/film.ts', join(media, 'aside.webp'));
console.log('Look at every picture in media before you commit them.');

/** Takes the pictures in one theme; `suffix` ends the names of the files. */
async function takePictures(suffix: string, ...parameters: readonly string[]): Promise<void> {
  await run('test/journeys/run.ts', 'selection', 'tools', 'review', 'usage', ...parameters);
  for (const [name, screenshot] of Object.entries(screenshots)) {
    const picture = join(outFolder, `screenshots/${screenshot}.png`);
    await copyFile(picture, join(media, `${name}${suffix}.png`));
  }
}

/** In one theme only: these are in the package, whose size is limited. */
async function takeWalkthrough(): Promise<void> {
  await run('test/journeys/run.ts', 'walkthrough');
  const walkthrough = join(outFolder, 'walkthrough');
  await mkdir(join(media, 'walkthrough'), { recursive: true });
  for (const file of await readdir(walkthrough))
    await copyFile(join(walkthrough, file), join(media, 'walkthrough', file));
}

async function run(...command: readonly [string, ...string[]]): Promise<void> {
  const code = await runCommand(process.execPath, command, { folder: projectFolder });
  if (code !== 0) throw new Error(`${command[0]} failed.`);
}
