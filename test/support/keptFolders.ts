import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KeptFiles } from '../../src/host/platform/keptFiles.ts';
import type { KeptFolder } from './keptFilesModel.ts';
import { TemporaryFolder } from './temporaryFolder.ts';

type OpenFiles = (folder: string) => KeptFiles;

/** Stores lines in one file on the disk. */
export function diskFolder(open: OpenFiles): Promise<KeptFolder> {
  return keptFolder(open, async (path, text) => {
    const before = await readFile(path, 'utf8').catch(() => '');
    // A line that is appended after half a line starts on a new one.
    await appendFile(path, before === '' || before.endsWith('\n') ? text : `\n${text}`);
  });
}

/** Stores lines as segments in a folder on the disk. */
export function segmentFolder(open: OpenFiles): Promise<KeptFolder> {
  let count = 0;
  return keptFolder(open, async (path, text) => {
    const inner = path.replace('.jsonl', '');
    const folder = inner.endsWith('/deleted/17-a/a') ? dirname(inner) : inner;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${String(count++).padStart(8, '0')}-torn.jsonl`), text);
  });
}

async function keptFolder(
  open: OpenFiles,
  tear: (path: string, text: string) => Promise<void>,
): Promise<KeptFolder> {
  const folder = await TemporaryFolder.create();
  let setAsideCount = 0;
  const pathOf = async (file: string): Promise<string> => {
    const path = join(folder.path, file);
    await mkdir(dirname(path), { recursive: true });
    return path;
  };
  return {
    window: () => open(folder.path),
    tear: async (file, text) => tear(await pathOf(file), text),
    leave: async (file) => writeFile(`${await pathOf(file)}.${setAsideCount++}.tmp`, 'half'),
    dispose: () => folder.dispose(),
  };
}
