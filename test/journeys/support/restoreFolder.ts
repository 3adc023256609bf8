import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a folder equal to a model folder, without writing files that are the same. */
export async function restoreFolder(folder: string, model: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const wanted = await readdir(model, { withFileTypes: true });
  const names = new Set(wanted.map(({ name }) => name));
  for (const name of await readdir(folder))
    if (!names.has(name)) await rm(join(folder, name), { recursive: true });
  for (const entry of wanted) {
    const restore = entry.isDirectory() ? restoreFolder : restoreFile;
    await restore(join(folder, entry.name), join(model, entry.name));
  }
}

async function restoreFile(path: string, model: string): Promise<void> {
  const wanted = await readFile(model);
  const content = await readFile(path).catch(() => undefined);
  if (content?.equals(wanted) !== true) await writeFile(path, wanted);
}
