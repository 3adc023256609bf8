/** Runs the journeys. Parameters, if any, are parts of the names of the files to run. */
import { globSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Mocha from 'mocha';
import { reportSecondTries, retries } from '../support/secondTry.ts';
import { withoutVsCode } from '../support/withoutVsCode.ts';
import { picturesFolder } from './support/pictures.ts';
import { Stage } from './support/stage.ts';

const wanted = process.argv.slice(2);
const files = globSync('**/*.journey.ts', { cwd: import.meta.dirname })
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) throw new Error('There is no such journey.');
if (wanted.length === 0) await rm(picturesFolder, { recursive: true, force: true });
await mkdir(picturesFolder, { recursive: true });

const checks = { forbidOnly: true, forbidPending: true };
const mocha = new Mocha({ timeout: 180_000, slow: 20_000, retries, ...checks });
for (const file of files) mocha.addFile(join(import.meta.dirname, file));
await withoutVsCode(() => mocha.loadFilesAsync());
const failures = await new Promise<number>((resolve) =>
  reportSecondTries(mocha.run(resolve), console.log),
);
await Stage.close();
console.log(`Pictures: ${picturesFolder}`);
// A journey that failed may have left something open.
process.exit(Math.min(failures, 1));
