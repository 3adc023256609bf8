/**
 * Packages once more, and fails where the bytes are not those of the package that is there: `npm test`
 * runs it after it has packaged.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageExtension } from '../build/vsix.ts';
import { findPackage } from './support/findPackage.ts';
import { projectFolder } from './support/paths.ts';

const again = join(projectFolder, 'out', 'again.vsix');
mkdirSync(join(projectFolder, 'out'), { recursive: true });
const code = packageExtension(projectFolder, '--out', again);
const isSame = code === 0 && readFileSync(await findPackage()).equals(readFileSync(again));
if (!isSame) console.error('Packaging twice gave different bytes.');
process.exitCode = isSame ? 0 : 1;
