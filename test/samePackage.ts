/**
 * Packages a second time, and fails if the bytes differ from the existing package or exceed the
 * limit. `npm test` runs this after it has packaged.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageExtension } from '../build/vsix.ts';
import { findPackage } from './support/findPackage.ts';
import { projectFolder } from './support/paths.ts';

/** 960 KB, as vsce counts them. */
const maxBytes = 960 * 1024;

const again = join(projectFolder, 'out', 'again.vsix');
mkdirSync(join(projectFolder, 'out'), { recursive: true });
const code = packageExtension(projectFolder, '--out', again);
const packaged = readFileSync(await findPackage());
const isSame = code === 0 && packaged.equals(readFileSync(again));
if (!isSame) console.error('Packaging twice gave different bytes.');
const isSmall = packaged.byteLength <= maxBytes;
if (!isSmall) console.error(`The package has ${packaged.byteLength} of ${maxBytes} bytes.`);
process.exitCode = isSame && isSmall ? 0 : 1;
