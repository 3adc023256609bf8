import { access, constants, stat } from 'node:fs/promises';

/** The first of some paths at which there is a program that can be run. */
export async function firstRunnable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isRunnable(path)) return path;
  return undefined;
}

async function isRunnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
