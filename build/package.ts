/** Builds the extension and packages it. Parameters go to vsce, for example `--out FILE`. */
import { join } from 'node:path';
import { packageExtension } from './vsix.ts';

process.exitCode = packageExtension(join(import.meta.dirname, '..'), ...process.argv.slice(2));
