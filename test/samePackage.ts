/**
 * Packages a second time, and fails if the bytes differ from the existing package or exceed the
 * limit. `npm test -- --all` runs this after it has packaged.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackage } from './support/findPackage.ts';
import { projectFolder } from './support/paths.ts';
import { runCommand } from './support/runCommand.ts';

/** 1.25 MB, as vsce counts them. */
const maxBytes = 1.25 * 1024 * 1024;

const again = join(projectFolder, 'out', 'again.vsix');
mkdirSync(join(projectFolder, 'out'), { recursive: true });
const code = await runCommand('node', ['build/package.js', '--out', again], {
  folder: projectFolder,
});
const packaged = readFileSync(await findPackage());
const isSame = code === 0 && packaged.equals(readFileSync(again));
if (!isSame) console.error('Packaging twice gave different bytes.');
const isSmall = packaged.byteLength <= maxBytes;
if (!isSmall) console.error(`The package has ${packaged.byteLength} of ${maxBytes} bytes.`);
process.exitCode = isSame && isSmall ? 0 : 1;
