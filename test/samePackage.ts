/**
 * Packages a second time, and fails if the bytes differ from the existing package. `npm test -- --all` runs this after it has packaged.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackage } from './support/findPackage.ts';
import { projectFolder } from './support/paths.ts';
import { runCommand } from './support/runCommand.ts';

const again = join(projectFolder, 'out', 'again.vsix');
mkdirSync(join(projectFolder, 'out'), { recursive: true });
const code = await runCommand('node', ['build/package.js', '--out', again], {
  folder: projectFolder,
});
const packaged = readFileSync(await findPackage());
const isSame = code === 0 && packaged.equals(readFileSync(again));
if (!isSame) console.error('Packaging twice gave different bytes.');
process.exitCode = isSame ? 0 : 1;
