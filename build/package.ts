/** Builds and packages the extension. Parameters are passed to vsce, for example `--out FILE`. */
import { join } from 'node:path';
import { packageExtension } from './vsix.ts';

process.exitCode = packageExtension(join(import.meta.dirname, '..'), ...process.argv.slice(2));
