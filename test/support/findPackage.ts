import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { projectFolder } from './paths.ts';

const manifest = z.object({ name: z.string(), version: z.string() });

/** The VSIX of this version, built by `npm run package`. */
export async function findPackage(): Promise<string> {
  const text = await readFile(join(projectFolder, 'package.json'), 'utf8');
  const { name, version } = manifest.parse(JSON.parse(text));
  const file = join(projectFolder, `${name}-${version}.vsix`);
  if (existsSync(file)) return file;
  throw new Error(`There is no ${file}. Run npm run package first.`);
}
