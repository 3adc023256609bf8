import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { projectFolder } from '../support/paths.ts';

const packageFile = z.object({ version: z.string() });

/** Name and version of an installed package, such as `zod 4.6.7`. `folder` contains `node_modules`. */
export function findVersion(name: string, folder: string = projectFolder): string {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return `${name} ${packageFile.parse(JSON.parse(text)).version}`;
}
